// Runs an artifact on an image, or on several views of a scene, and prints the shape and the range of each output.
//
//   run_model ARTIFACT [VIEWS]
#include <torch/script.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

// Put your own pixels here. The models want [3, H, W] with red, green and blue in 0..1, less the manifest's `mean` and
// divided by its `std`. H and W are multiples of its `multiple_of`.
at::Tensor Image(int64_t height, int64_t width) {
  const at::Tensor across = at::linspace(0, 1, width).expand({height, width});
  const at::Tensor down = at::linspace(0, 1, height).unsqueeze(1).expand({height, width});
  const at::Tensor rgb = at::stack({across, down, 1 - across});
  const at::Tensor mean = at::tensor({0.485f, 0.456f, 0.406f}).view({3, 1, 1});
  const at::Tensor deviation = at::tensor({0.229f, 0.224f, 0.225f}).view({3, 1, 1});
  return (rgb - mean) / deviation;
}

void Print(const char* name, const at::Tensor& output) {
  std::printf("%-20s [", name);
  for (int64_t i = 0; i < output.dim(); ++i) std::printf("%s%d", i == 0 ? "" : ", ", static_cast<int>(output.size(i)));
  const at::Tensor values = output.to(at::kDouble);
  std::printf("]  %g to %g\n", values.min().item<double>(), values.max().item<double>());
}

void Run(const char* artifact, int64_t views) {
  torch::jit::Module model = torch::jit::load(artifact);
  const c10::InferenceMode inference;  // LibTorch keeps nothing for gradients.

  at::Tensor image = Image(280, 420).unsqueeze(0);                        // [1, 3, H, W]
  if (views > 0) image = image.unsqueeze(1).repeat({1, views, 1, 1, 1});  // [1, N, 3, H, W]

  const c10::IValue result = model.forward({image});
  if (result.isTensor()) {
    Print("result", result.toTensor());
    return;
  }
  for (const auto& output : result.toGenericDict()) {
    if (output.value().isTensor()) Print(output.key().toStringRef().c_str(), output.value().toTensor());
  }
}

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: run_model ARTIFACT [VIEWS]\n");
    return 1;
  }
  try {
    Run(argv[1], argc > 2 ? std::atoi(argv[2]) : 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
  }
  return 0;
}
