// Runs an artifact for //bench:inference, as a ModelProcess.
//   run_artifact FILE.pt                as it is
//   run_artifact FILE.pt written_out    with its attention written out
#include <ATen/Parallel.h>
#include <ATen/core/ivalue.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bench/kernel_time.h"
#include "bench/served_model.h"
#include "bench/written_out.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

class ScriptModel : public ServedModel {
 public:
  explicit ScriptModel(torch::jit::Module module)
      : module_(std::move(module)), dtype_((*module_.parameters().begin()).scalar_type()) {}

  absl::Status SetThreads(int threads) override {
    at::set_num_threads(threads);
    return absl::OkStatus();
  }

  absl::Status Run(const std::vector<c10::IValue>& inputs) override {
    ASSIGN_OR_RETURN(output_, CatchTorch([&] { return module_.forward(InDType(inputs)); }));
    return absl::OkStatus();
  }

  absl::StatusOr<KernelTime> Kernels(const std::vector<c10::IValue>& inputs) override {
    return CatchTorch([&] { return MeasureKernels([&] { module_.forward(InDType(inputs)); }); });
  }

  absl::StatusOr<at::Tensor> LastOutput(absl::string_view name) override {
    return CatchTorch([&] {
      return output_.isGenericDict() ? output_.toGenericDict().at(std::string(name)).toTensor() : output_.toTensor();
    });
  }

 private:
  // The inputs in the dtype of the weights.
  std::vector<c10::IValue> InDType(std::vector<c10::IValue> inputs) const {
    for (c10::IValue& input : inputs) {
      if (input.isTensor()) input = input.toTensor().to(dtype_);
    }
    return inputs;
  }

  torch::jit::Module module_;
  const at::ScalarType dtype_;
  c10::IValue output_;
};

absl::Status ServeFile(const std::string& path, bool is_written_out) {
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  if (is_written_out) RETURN_IF_ERROR(CatchTorch([&] { WriteOutAttention(module); }));
  ScriptModel model(std::move(module));
  return Serve(model, std::cin, std::cout);
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  const bool is_written_out = argc == 3 && std::string(argv[2]) == "written_out";
  if (argc != 2 && !is_written_out) return 1;
  const absl::Status status = modelport::ServeFile(argv[1], is_written_out);
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
