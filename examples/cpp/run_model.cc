// Runs an artifact and prints the shape and the range of each output.
//
//   run_model ARTIFACT            an image
//   run_model ARTIFACT 2          two views of a scene, or any other number: Depth Anything 3
//   run_model ARTIFACT trimap     an image and its trimap: ViTMatte
//   run_model ARTIFACT tokens     an image and how many tokens it becomes: MoGe-2
//   run_model ARTIFACT between    two images and the time between them: RIFE
#include <torch/script.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

// Put your own pixels here: [1, 3, H, W] with red, green and blue in 0..1. H and W are multiples of the manifest's
// `multiple_of`.
at::Tensor Image(int64_t height, int64_t width) {
  const at::Tensor across = at::linspace(0, 1, width).expand({height, width});
  const at::Tensor down = at::linspace(0, 1, height).unsqueeze(1).expand({height, width});
  return at::stack({across, down, 1 - across}).unsqueeze(0);
}

// The image less the manifest's `mean`, divided by its `std`: for models whose input `x` is `normalised`.
at::Tensor Normalised(const at::Tensor& image) {
  const at::Tensor mean = at::tensor({0.485f, 0.456f, 0.406f}).view({3, 1, 1});
  const at::Tensor deviation = at::tensor({0.229f, 0.224f, 0.225f}).view({3, 1, 1});
  return (image - mean) / deviation;
}

// The arguments of forward, in the order of the manifest's `inputs`.
std::vector<c10::IValue> Inputs(const std::string& kind) {
  const at::Tensor image = Image(280, 420);
  if (kind.empty()) return {Normalised(image)};
  if (kind == "trimap") return {image, at::full({1, 1, 280, 420}, 0.5f)};  // All of it is unknown.
  if (kind == "tokens") return {image, int64_t{1200}};
  if (kind == "between") return {image, image.roll({8}, {3}), 0.25};
  if (kind.find_first_not_of("0123456789") != std::string::npos)
    throw std::invalid_argument(kind + ": is no kind of input");
  const int64_t views = std::stoll(kind);
  return {Normalised(image).unsqueeze(1).repeat({1, views, 1, 1, 1})};  // [1, N, 3, H, W]
}

void Print(const char* name, const at::Tensor& output) {
  std::printf("%-20s [", name);
  for (int64_t i = 0; i < output.dim(); ++i) std::printf("%s%d", i == 0 ? "" : ", ", static_cast<int>(output.size(i)));
  const at::Tensor values = output.to(at::kDouble);
  std::printf("]  %g to %g\n", values.min().item<double>(), values.max().item<double>());
}

void Run(const char* artifact, const std::string& kind) {
  torch::jit::Module model = torch::jit::load(artifact);
  const c10::InferenceMode inference;  // LibTorch keeps nothing for gradients.
  const c10::IValue result = model.forward(Inputs(kind));
  if (result.isTensor()) {
    Print("result", result.toTensor());
    return;
  }
  for (const auto& output : result.toGenericDict()) {
    if (output.value().isTensor()) Print(output.key().toStringRef().c_str(), output.value().toTensor());
  }
}

// The sentence of an error: what TorchScript's code raised, which stands behind the lines that name the code, or the
// first line of LibTorch's.
std::string Sentence(const std::string& what) {
  const std::string mark = "RuntimeError: ", assertion = "AssertionError: ";
  const size_t place = what.find(mark);
  size_t begin = place == std::string::npos ? 0 : place + mark.size();
  if (what.compare(begin, assertion.size(), assertion) == 0) begin += assertion.size();
  return what.substr(begin, what.find('\n', begin) - begin);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: run_model ARTIFACT [VIEWS|trimap|tokens|between]\n");
    return 1;
  }
  try {
    Run(argv[1], argc > 2 ? argv[2] : "");
  } catch (const c10::Error& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], Sentence(error.what_without_backtrace()).c_str());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], Sentence(error.what()).c_str());
    return 1;
  }
  return 0;
}
