#include "artifact/format/torchscript/torchscript_format.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "artifact/format/built_module.h"
#include "artifact/format/torchscript/stored_archive.h"
#include "common/manifest/manifest.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/archive/read_format.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/proof/round_trip.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
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

class PreparedArchive : public PreparedArtifact {
 public:
  PreparedArchive(const ArtifactRequest& request, const BuiltModule& built)
      : request_(request), built_(built), format_(WrittenFormat(request.runtime, built.operators)) {}

  void DescribeCode(Manifest& manifest) const override {
    for (const Operator& op : built_.operators) {
      Manifest::Operator& entry = *manifest.add_operators();
      entry.set_name(op.name);
      entry.set_overload(op.overload);
      entry.set_version(op.version);
    }
    manifest.set_minimum_runtime(MinimumRuntime(format_, built_.operators));
    for (const std::string& method : MethodSchemas(*built_.module)) manifest.add_methods(method);
  }

  void DescribeFile(Manifest::Artifact& file) const override { file.set_archive_version(format_.version); }

  absl::Status CheckCanRun() const override {
    const std::string& model = request_.entry.variant->name;
    RETURN_IF_ERROR(Annotate(CheckModuleForHost(*request_.target, *built_.module), model));
    return Annotate(CheckRuns(request_.runtime, built_.operators), model);
  }

  bool has_data() const override { return false; }

  absl::Status Write(const ManifestText& manifest, const ArtifactWriters& out) override {
    return WriteArchive(*built_.module, request_.runtime, {{kManifestExtraFile, manifest}}, out.file);
  }

  absl::Status CheckWritten(const WrittenArtifact& written, const std::string& name) const override {
    ASSIGN_OR_RETURN(const ArchiveFormat format, ReadArchiveFormat(written.file));
    if (format.version == format_.version && format.new_records == format_.new_records) return absl::OkStatus();
    return absl::InternalError(
        absl::StrCat(name, ": wants archive version ", format_.version, ", has ", format.version));
  }

  absl::StatusOr<RoundTrip> Prove(const WrittenArtifact& written, const ProvenCalls& calls,
                                  const std::function<void(int64_t)>& on_bytes) const override {
    return ProveRoundTrip(*built_.module, written.file, calls.examples, calls.entry_points, calls.allow_nonfinite,
                          on_bytes);
  }

  absl::Status CompareBytes(const StoredArtifact& file, const std::vector<Slot>& slots,
                            const ManifestText& manifest) override {
    std::vector<std::string> names;
    for (const Slot& slot : slots) names.push_back(slot.name);
    ASSIGN_OR_RETURN(remade_, MakeArchive(*built_.module, request_.runtime, {{kManifestExtraFile, manifest}}));
    return CompareArchive(remade_, static_cast<const StoredArchive&>(file).file(), names);
  }

  // LibTorch is given what was made, never the file.
  absl::StatusOr<RoundTrip> ProveEqual(const StoredArtifact&, const ProvenCalls& calls) const override {
    ASSIGN_OR_RETURN(const torch::jit::Module loaded, CatchTorch([&] { return torch::jit::load(remade_, at::kCPU); }));
    ASSIGN_OR_RETURN(const std::vector<c10::IValue> outputs, RunExamples(*built_.module, calls.examples));
    return CompareModules(*built_.module, loaded, calls.examples, calls.entry_points, outputs, calls.allow_nonfinite);
  }

 private:
  const ArtifactRequest request_;
  const BuiltModule built_;
  const ArchiveFormat format_;
  std::shared_ptr<ArchivePieces> remade_ = {};  // Of CompareBytes.
};

class TorchScript : public ArtifactFormat {
 public:
  absl::string_view ending() const override { return ".pt"; }

  bool holds_one_method() const override { return false; }

  bool takes_bytes() const override { return true; }

  bool keeps_knobs() const override { return true; }

  absl::StatusOr<std::unique_ptr<PreparedArtifact>> Prepare(const ArtifactRequest& request,
                                                            const BuiltModule& built) const override {
    if (!request.sizes.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(request.entry.variant->name,
                                                     ": --sizes is for ONNX files; an artifact for ",
                                                     request.target->name, " takes all sizes"));
    }
    if (request.opset != 0) {
      return absl::InvalidArgumentError(absl::StrCat(request.entry.variant->name,
                                                     ": --opset is for ONNX files, and an artifact for ",
                                                     request.target->name, " is TorchScript"));
    }
    if (request.external_data) {
      return absl::InvalidArgumentError(absl::StrCat(request.entry.variant->name,
                                                     ": --external_data is for ONNX files, and an artifact for ",
                                                     request.target->name, " is TorchScript"));
    }
    return std::make_unique<PreparedArchive>(request, built);
  }

  absl::Status CheckCanProve() const override { return absl::OkStatus(); }

  DType PortType(DType weights) const override { return weights; }

  bool IsPossible(DType, const Manifest::Output& stated, const ComparedOutput& output) const override {
    if (stated.equal_on_same_memory()) return stated.relative() > kAlignmentTolerance;
    // No range is more than twice the largest magnitude, which this machine's rounding moves a little.
    return stated.relative() <= kAlignmentTolerance && stated.max_abs() <= 2.1 * kAlignmentTolerance * output.largest;
  }
};

}  // namespace

const ArtifactFormat& TorchScriptFormat() {
  static const auto* const format = new TorchScript;
  return *format;
}

}  // namespace modelport
