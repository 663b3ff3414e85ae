#include "artifact/format/torchscript/torchscript_format.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/manifest/manifest.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/compare_archive.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/archive/read_format.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/proof/example.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/runtime/runtime_obstacles.h"
#include "common/torchscript/script/torch_status.h"
#include "targets/host_rules.h"

namespace modelport {
namespace {

absl::Status CheckModuleForHost(const Target& target, const torch::jit::Module& module) {
  const std::vector<Finding> findings = CheckRules(HostRules(target), module);
  if (findings.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(target.name, " cannot use this model:\n", FormatFindings(findings)));
}

absl::Status CheckRuns(const Runtime* runtime, const std::vector<Operator>& operators) {
  return runtime == nullptr ? absl::OkStatus() : CheckRuntime(*runtime, FormatFor(*runtime), operators);
}

ArchiveFormat FormatOfBuilt(const ArtifactRequest& request, const BuiltModule& built) {
  return WrittenFormat(request.runtime, built.operators);
}

class RemadeArchive : public RemadeArtifact {
 public:
  RemadeArchive(const torch::jit::Module& module, std::shared_ptr<ArchivePieces> archive)
      : module_(module), archive_(std::move(archive)) {}

  absl::Status CompareBytes(const ArtifactFile& file, const std::vector<Slot>& slots) const override {
    std::vector<std::string> names;
    for (const Slot& slot : slots) names.push_back(slot.name);
    return CompareArchive(archive_, file, names);
  }

  absl::StatusOr<RoundTrip> Prove(const ProvenCalls& calls) const override {
    ASSIGN_OR_RETURN(const torch::jit::Module loaded, CatchTorch([&] { return torch::jit::load(archive_, at::kCPU); }));
    ASSIGN_OR_RETURN(const std::vector<c10::IValue> outputs, RunExamples(module_, calls.examples));
    return CompareModules(module_, loaded, calls.examples, calls.entry_points, outputs, calls.allow_nonfinite);
  }

 private:
  const torch::jit::Module& module_;
  std::shared_ptr<ArchivePieces> archive_;
};

class TorchScript : public ArtifactFormat {
 public:
  absl::string_view ending() const override { return ".pt"; }

  void DescribeCode(const ArtifactRequest& request, const BuiltModule& built, Manifest& manifest) const override {
    for (const Operator& op : built.operators) {
      Manifest::Operator& entry = *manifest.add_operators();
      entry.set_name(op.name);
      entry.set_overload(op.overload);
      entry.set_version(op.version);
    }
    if (request.runtime != nullptr) manifest.set_runtime(std::string(request.runtime->name));
    manifest.set_minimum_runtime(MinimumRuntime(FormatOfBuilt(request, built), built.operators));
    for (const std::string& method : MethodSchemas(built.module)) manifest.add_methods(method);
  }

  void DescribeFile(const ArtifactRequest& request, const BuiltModule& built, Manifest::Artifact& file) const override {
    file.set_archive_version(FormatOfBuilt(request, built).version);
  }

  // Messages begin with the model.
  absl::Status CheckCanRun(const ArtifactRequest& request, const BuiltModule& built) const override {
    const std::string& model = request.entry.variant->name;
    if (!request.sizes.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(model, ": --sizes is for ONNX files; an artifact for ",
                                                     request.target->name, " takes all sizes"));
    }
    RETURN_IF_ERROR(Annotate(CheckModuleForHost(*request.target, built.module), model));
    return Annotate(CheckRuns(request.runtime, built.operators), model);
  }

  absl::Status Write(const ArtifactRequest& request, const BuiltModule& built, const ManifestText& manifest,
                     Writer& out) const override {
    return WriteArchive(built.module, request.runtime, {{kManifestExtraFile, manifest}}, out);
  }

  absl::Status CheckWritten(const ArtifactRequest& request, const BuiltModule& built, const std::string& path,
                            const std::string& name) const override {
    const ArchiveFormat wanted = FormatOfBuilt(request, built);
    ASSIGN_OR_RETURN(const ArchiveFormat written, ReadArchiveFormat(path));
    if (written.version == wanted.version && written.new_records == wanted.new_records) return absl::OkStatus();
    return absl::InternalError(
        absl::StrCat(name, ": wants archive version ", wanted.version, ", has ", written.version));
  }

  absl::StatusOr<RoundTrip> Prove(const ArtifactRequest&, const BuiltModule& built, const std::string& path,
                                  const ProvenCalls& calls,
                                  const std::function<void(int64_t)>& on_bytes) const override {
    return ProveRoundTrip(built.module, path, calls.examples, calls.entry_points, calls.allow_nonfinite, on_bytes);
  }

  absl::StatusOr<std::unique_ptr<RemadeArtifact>> Remake(const ArtifactRequest& request, const BuiltModule& built,
                                                         const ManifestText& manifest) const override {
    ASSIGN_OR_RETURN(std::shared_ptr<ArchivePieces> archive,
                     MakeArchive(built.module, request.runtime, {{kManifestExtraFile, manifest}}));
    return std::make_unique<RemadeArchive>(built.module, std::move(archive));
  }

  absl::StatusOr<BoundTensors> StoredTensors(const ArtifactFile& file, const std::vector<Slot>& slots,
                                             DType dtype) const override {
    ASSIGN_OR_RETURN(const std::vector<const ZipRecord*> records, TensorRecords(file, slots, dtype));
    BoundTensors bound;
    for (size_t i = 0; i < slots.size(); ++i) {
      // Nothing writes to the tensor.
      bound.tensors.push_back(at::from_blob(const_cast<char*>(records[i]->bytes.data()), slots[i].shape,
                                            ToScalarType(slots[i].dtype.value_or(dtype))));
    }
    return bound;
  }

  absl::Status CompareTensors(const ArtifactFile& file, const std::vector<Slot>& slots, DType dtype,
                              const std::vector<BoundTensors>& bound) const override {
    const std::vector<at::Tensor> tensors = TensorsOf(bound);
    ASSIGN_OR_RETURN(const std::vector<const ZipRecord*> records, TensorRecords(file, slots, dtype));
    for (size_t i = 0; i < slots.size(); ++i) {
      const absl::string_view bytes(static_cast<const char*>(tensors[i].const_data_ptr()), tensors[i].nbytes());
      if (records[i]->bytes == bytes) continue;
      return absl::DataLossError(absl::StrCat(file.path(), ": ", records[i]->name, " (", slots[i].name,
                                              "): is not the tensor of the checkpoint"));
    }
    return absl::OkStatus();
  }
};

}  // namespace

const ArtifactFormat& TorchScriptFormat() {
  static const auto* const format = new TorchScript;
  return *format;
}

}  // namespace modelport
