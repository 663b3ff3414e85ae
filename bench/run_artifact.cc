// Runs an artifact for //bench:inference, as a ModelProcess: TorchScript in LibTorch, ONNX in OpenVINO.
//   run_artifact FILE.pt                as it is
//   run_artifact FILE.pt written_out    with its attention written out
//   run_artifact FILE.onnx
#include <ATen/Parallel.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "artifact/build/open_artifact.h"
#include "artifact/format/onnx/openvino.h"
#include "bench/kernel_time.h"
#include "bench/served_model.h"
#include "bench/written_out.h"
#include "common/manifest/manifest.h"
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

absl::Status ServeScript(const std::string& path, bool is_written_out) {
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  if (is_written_out) RETURN_IF_ERROR(CatchTorch([&] { WriteOutAttention(module); }));
  ScriptModel model(std::move(module));
  return Serve(model, std::cin, std::cout);
}

// The names of the inputs and the outputs of a file, by the manifest in it.
absl::StatusOr<Manifest::EntryPoint> ReadEntryPoint(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoredArtifact> file, OpenArtifact(path));
  ASSIGN_OR_RETURN(const absl::optional<StoredPart> manifest, file->FindManifest());
  if (!manifest) return absl::InvalidArgumentError(absl::StrCat(path, ": has no manifest of Modelport"));
  return ParseKnownFields(manifest->bytes).entry_points(0);
}

class OnnxModel : public ServedModel {
 public:
  OnnxModel(std::string path, Manifest::EntryPoint entry_point)
      : path_(std::move(path)), entry_point_(std::move(entry_point)) {
    for (const Manifest::Result& output : entry_point_.outputs()) outputs_.push_back(output.name());
  }

  absl::Status SetThreads(int threads) override {
    if (threads == threads_) return absl::OkStatus();
    ASSIGN_OR_RETURN(model_, onnx::OpenVinoModel::Load(path_, threads));
    threads_ = threads;
    return absl::OkStatus();
  }

  absl::Status Run(const std::vector<c10::IValue>& inputs) override {
    std::vector<std::pair<std::string, at::Tensor>> named;
    for (size_t i = 0; i < inputs.size(); ++i) {
      named.emplace_back(entry_point_.inputs(static_cast<int>(i)).name(),
                         inputs[i].isInt() ? at::tensor({inputs[i].toInt()}) : inputs[i].toTensor());
    }
    ASSIGN_OR_RETURN(results_, model_->Run(named, outputs_));
    return absl::OkStatus();
  }

  absl::StatusOr<at::Tensor> LastOutput(absl::string_view name) override {
    for (size_t i = 0; i < results_.size(); ++i) {
      if (name.empty() || outputs_[i] == name) return results_[i];
    }
    return absl::InvalidArgumentError("no such output");
  }

 private:
  const std::string path_;
  const Manifest::EntryPoint entry_point_;
  std::vector<std::string> outputs_;
  absl::optional<onnx::OpenVinoModel> model_;
  int threads_ = 0;  // For which it is compiled.
  std::vector<at::Tensor> results_;
};

absl::Status ServeOnnx(const std::string& path) {
  ASSIGN_OR_RETURN(Manifest::EntryPoint entry_point, ReadEntryPoint(path));
  RETURN_IF_ERROR(onnx::CheckOpenVino());
  OnnxModel model(path, std::move(entry_point));
  return Serve(model, std::cin, std::cout);
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  const bool is_written_out = argc == 3 && std::string(argv[2]) == "written_out";
  if (argc != 2 && !is_written_out) return 1;
  const absl::Status status = absl::EndsWith(argv[1], ".onnx") ? modelport::ServeOnnx(argv[1])
                                                               : modelport::ServeScript(argv[1], is_written_out);
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
