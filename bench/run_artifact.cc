// Runs an artifact for //bench:inference: a ModelProcess, whose header describes the lines.
//   run_artifact FILE.pt
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "bench/kernel_time.h"
#include "bench/measure.h"
#include "common/archive/load_module.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// The image of a shape "1,3,518,518".
absl::StatusOr<at::Tensor> Image(absl::string_view shape) {
  std::vector<int64_t> sizes;
  int64_t count = 1;
  for (const absl::string_view word : absl::StrSplit(shape, ',')) {
    if (!absl::SimpleAtoi(word, &sizes.emplace_back())) return absl::InvalidArgumentError("no shape");
    count *= sizes.back();
  }
  return CatchTorch([&] { return at::linspace(-2, 2, count).reshape(sizes); });
}

absl::Status Run(torch::jit::Module& module, const at::Tensor& image, at::Tensor& output) {
  ResetPeak();
  const double cpu = CpuSeconds();
  const auto wall = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(output, CatchTorch([&] { return module.forward({image}).toTensor(); }));
  const double wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  std::cout << CpuSeconds() - cpu << " " << wall_seconds << " " << ProcessMemory("self", "VmHWM") << std::endl;
  return absl::OkStatus();
}

absl::Status Kernels(torch::jit::Module& module, const at::Tensor& image) {
  ASSIGN_OR_RETURN(const KernelTime time, CatchTorch([&] { return MeasureKernels([&] { module.forward({image}); }); }));
  std::cout << time.flop << " " << time.cpu_seconds << std::endl;
  return absl::OkStatus();
}

absl::Status Answer(torch::jit::Module& module, const std::vector<std::string>& words, at::Tensor& output) {
  if (words.size() == 3 && (words[0] == "run" || words[0] == "kernels")) {
    int threads = 1;
    if (!absl::SimpleAtoi(words[2], &threads)) return absl::InvalidArgumentError("no number of threads");
    at::set_num_threads(threads);
    ASSIGN_OR_RETURN(const at::Tensor image, Image(words[1]));
    return words[0] == "run" ? Run(module, image, output) : Kernels(module, image);
  }
  if (words.size() == 2 && words[0] == "save") {
    const at::Tensor dense = output.contiguous();
    std::ofstream(words[1], std::ios::binary).write(static_cast<const char*>(dense.const_data_ptr()), dense.nbytes());
    std::cout << "saved" << std::endl;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("no such line");
}

absl::Status Serve(const std::string& path) {
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  std::cout << "ready " << ProcessMemory("self", "VmRSS") << std::endl;
  at::Tensor output;
  for (std::string line; std::getline(std::cin, line);) {
    RETURN_IF_ERROR(Answer(module, absl::StrSplit(line, ' '), output));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const absl::Status status = modelport::Serve(argv[1]);
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
