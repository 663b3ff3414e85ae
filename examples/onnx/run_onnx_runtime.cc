// Runs an ONNX file of a model that takes one image, in ONNX Runtime: run_onnx_runtime FILE.onnx HEIGHT WIDTH
#include <onnxruntime_cxx_api.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <vector>

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::cerr << "run_onnx_runtime FILE.onnx HEIGHT WIDTH\n";
    return 2;
  }
  Ort::Env environment;
  Ort::Session session(environment, argv[1], Ort::SessionOptions());
  Ort::AllocatorWithDefaultOptions allocator;
  const Ort::AllocatedStringPtr input_name = session.GetInputNameAllocated(0, allocator);
  std::vector<Ort::AllocatedStringPtr> names;
  std::vector<const char*> outputs;
  for (size_t i = 0; i < session.GetOutputCount(); ++i) {  // In the order of the manifest's outputs.
    names.push_back(session.GetOutputNameAllocated(i, allocator));
    outputs.push_back(names.back().get());
  }
  const std::vector<int64_t> shape = {1, 3, std::atoi(argv[2]), std::atoi(argv[3])};
  std::vector<float> image(3 * shape[2] * shape[3], 0.5f);  // The manifest says under inputs how an image is prepared.
  const Ort::Value input =
      Ort::Value::CreateTensor<float>(allocator.GetInfo(), image.data(), image.size(), shape.data(), shape.size());
  const char* const inputs[] = {input_name.get()};
  const std::vector<Ort::Value> results =
      session.Run(Ort::RunOptions(), inputs, &input, 1, outputs.data(), outputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    std::cout << i;
    for (const int64_t side : results[i].GetTensorTypeAndShapeInfo().GetShape()) std::cout << " " << side;
    std::cout << ": " << results[i].GetTensorData<float>()[0] << "\n";
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
