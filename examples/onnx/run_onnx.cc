// Runs an ONNX file of a model that takes one image, in OpenVINO: run_onnx FILE.onnx HEIGHT WIDTH
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <openvino/openvino.hpp>

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::cerr << "run_onnx FILE.onnx HEIGHT WIDTH\n";
    return 2;
  }
  ov::Core core;
  // Without this, processors with matrix units compute in bfloat16.
  ov::CompiledModel model = core.compile_model(argv[1], "CPU", ov::hint::inference_precision(ov::element::f32));
  ov::InferRequest request = model.create_infer_request();
  const size_t height = std::atoi(argv[2]), width = std::atoi(argv[3]);
  ov::Tensor image(ov::element::f32, {1, 3, height, width});
  std::fill_n(image.data<float>(), image.get_size(), 0.5f);  // The manifest says under inputs how an image is prepared.
  request.set_input_tensor(image);
  request.infer();
  for (size_t i = 0; i < model.outputs().size(); ++i) {  // In the order of the manifest's outputs.
    const ov::Tensor result = request.get_output_tensor(i);
    std::cout << i << " " << result.get_shape() << " " << result.data<const float>()[0] << "\n";
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
