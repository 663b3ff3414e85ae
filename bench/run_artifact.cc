// Runs an artifact for //bench:inference: a ModelProcess, whose header describes the lines.
//   run_artifact FILE.pt                as it is
//   run_artifact FILE.pt written_out    with its attention written out
#include <ATen/Parallel.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/linspace.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "bench/kernel_time.h"
#include "bench/measure.h"
#include "bench/written_out.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// The input of a word: a tensor of the shape "1,3,518,518", or the integer "1200".
absl::StatusOr<c10::IValue> ParseInput(absl::string_view word, at::ScalarType dtype) {
  std::vector<int64_t> sizes;
  int64_t count = 1;
  for (const absl::string_view part : absl::StrSplit(word, ',')) {
    if (!absl::SimpleAtoi(part, &sizes.emplace_back())) return absl::InvalidArgumentError("no shape and no integer");
    count *= sizes.back();
  }
  if (sizes.size() == 1) return c10::IValue(sizes[0]);
  return CatchTorch([&] { return c10::IValue(at::linspace(-2, 2, count).reshape(sizes).to(dtype)); });
}

class Model {
 public:
  explicit Model(torch::jit::Module module)
      : module_(std::move(module)), dtype_((*module_.parameters().begin()).scalar_type()) {}

  absl::Status Answer(const std::vector<std::string>& words) {
    if (words.size() > 2 && (words[0] == "run" || words[0] == "kernels")) {
      int threads = 1;
      if (!absl::SimpleAtoi(words[1], &threads)) return absl::InvalidArgumentError("no number of threads");
      at::set_num_threads(threads);
      std::vector<c10::IValue> inputs;
      for (size_t i = 2; i < words.size(); ++i) {
        ASSIGN_OR_RETURN(inputs.emplace_back(), ParseInput(words[i], dtype_));
      }
      return words[0] == "run" ? Run(inputs) : Kernels(inputs);
    }
    if (words.size() > 1 && words[0] == "save") return Save(words[1], words.size() > 2 ? words[2] : "");
    return absl::InvalidArgumentError("no such line");
  }

 private:
  absl::Status Run(const std::vector<c10::IValue>& inputs) {
    ResetPeak();
    const double cpu = CpuSeconds();
    const auto wall = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(output_, CatchTorch([&] { return module_.forward(inputs); }));
    const double wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
    std::cout << CpuSeconds() - cpu << " " << wall_seconds << " " << ProcessMemory("self", "VmHWM") << std::endl;
    return absl::OkStatus();
  }

  absl::Status Kernels(const std::vector<c10::IValue>& inputs) {
    ASSIGN_OR_RETURN(const KernelTime time,
                     CatchTorch([&] { return MeasureKernels([&] { module_.forward(inputs); }); }));
    std::cout << time.flop << " " << time.cpu_seconds << std::endl;
    return absl::OkStatus();
  }

  // Writes float32 numbers. `name`: of a tensor, if the output is a dictionary.
  absl::Status Save(const std::string& path, const std::string& name) {
    const auto saved = [&] {
      const at::Tensor tensor =
          output_.isGenericDict() ? output_.toGenericDict().at(name).toTensor() : output_.toTensor();
      return tensor.to(at::kFloat).contiguous();
    };
    ASSIGN_OR_RETURN(const at::Tensor dense, CatchTorch(saved));
    std::ofstream(path, std::ios::binary).write(static_cast<const char*>(dense.const_data_ptr()), dense.nbytes());
    std::cout << "saved" << std::endl;
    return absl::OkStatus();
  }

  torch::jit::Module module_;
  at::ScalarType dtype_;  // Of the weights, which the inputs get, too.
  c10::IValue output_;
};

absl::Status Serve(const std::string& path, bool is_written_out) {
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  if (is_written_out) RETURN_IF_ERROR(CatchTorch([&] { WriteOutAttention(module); }));
  std::cout << "ready " << ProcessMemory("self", "VmRSS") << std::endl;
  Model model(std::move(module));
  for (std::string line; std::getline(std::cin, line);) {
    RETURN_IF_ERROR(model.Answer(absl::StrSplit(line, ' ')));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  const bool is_written_out = argc == 3 && std::string(argv[2]) == "written_out";
  if (argc != 2 && !is_written_out) return 1;
  const absl::Status status = modelport::Serve(argv[1], is_written_out);
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
