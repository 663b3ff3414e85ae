#include "artifact/format/onnx/onnx_format.h"

#include <torch/csrc/jit/api/module.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "artifact/format/onnx/convert.h"
#include "artifact/format/onnx/openvino.h"
#include "artifact/format/onnx/prove.h"
#include "artifact/format/onnx/read_model.h"
#include "artifact/format/onnx/write_model.h"
#include "common/io/mapped_file.h"
#include "common/manifest/manifest.h"
#include "common/manifest/version.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/proof/round_trip.h"

namespace modelport {
namespace {

// The entry of a file's metadata that has the manifest.
constexpr char kManifestKey[] = "modelport.manifest";

absl::StatusOr<const EntryPoint*> ForwardOf(const BuiltModule& built) {
  if (const EntryPoint* const forward = FindEntryPoint(built.entry_points, "forward")) return forward;
  return absl::UnimplementedError("has no entry point forward, which an ONNX file holds");
}

absl::StatusOr<onnx::ConvertedModel> ConvertForward(const ArtifactRequest& request, const BuiltModule& built) {
  ASSIGN_OR_RETURN(const EntryPoint* const forward, ForwardOf(built));
  return onnx::Convert(built.module, *forward, request.sizes);
}

// How many constants are weights of `module`; others are the code's, such as shapes.
int64_t CountWeights(const onnx::ConvertedModel& converted, const torch::jit::Module& module) {
  const std::set<std::string> constants(converted.model.constants.begin(), converted.model.constants.end());
  int64_t count = 0;
  for (const auto& parameter : module.named_parameters()) count += constants.count(parameter.name);
  for (const auto& buffer : module.named_buffers()) count += constants.count(buffer.name);
  return count;
}

absl::Status NotYet(const ArtifactFile& file) {
  return absl::UnimplementedError(absl::StrCat(file.path(), ": an ONNX file cannot be verified"));
}

class Onnx : public ArtifactFormat {
 public:
  absl::string_view ending() const override { return ".onnx"; }

  void DescribeCode(const ArtifactRequest&, const BuiltModule& built, Manifest& manifest) const override {
    for (const std::string& method : MethodSchemas(built.module)) {
      if (method.rfind("forward(", 0) == 0) manifest.add_methods(method);
    }
  }

  void DescribeFile(const ArtifactRequest&, const BuiltModule&, Manifest::Artifact& file) const override {
    file.set_opset(onnx::kOpset);
  }

  absl::Status CheckCanRun(const ArtifactRequest& request, const BuiltModule& built) const override {
    const std::string& model = request.entry.variant->name;
    if (request.runtime != nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(model, ": --runtime names a release of LibTorch, which does not load ONNX files"));
    }
    return Annotate(ConvertForward(request, built).status(), model);
  }

  absl::Status Write(const ArtifactRequest& request, const BuiltModule& built, const ManifestText& manifest,
                     Writer& out) const override {
    ASSIGN_OR_RETURN(const onnx::ConvertedModel converted, ConvertForward(request, built));
    const Variant& variant = *request.entry.variant;
    const onnx::ModelFacts facts = {variant.name, kModelportVersion, variant.summary};
    const auto metadata = [&]() -> absl::StatusOr<std::vector<std::pair<std::string, std::string>>> {
      ASSIGN_OR_RETURN(std::string text, manifest());
      return std::vector<std::pair<std::string, std::string>>{{kManifestKey, std::move(text)}};
    };
    return onnx::WriteModel(converted.model, facts, metadata, out);
  }

  absl::Status CheckWritten(const ArtifactRequest& request, const BuiltModule& built, const std::string& path,
                            const std::string& name) const override {
    ASSIGN_OR_RETURN(const onnx::ConvertedModel converted, ConvertForward(request, built));
    ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
    ASSIGN_OR_RETURN(const onnx::FileModel stored, onnx::ReadModel(file->bytes()));
    for (size_t i = 0; i < converted.model.tensors.size(); ++i) {
      const auto found = stored.constants.find(converted.model.constants[i]);
      const at::Tensor tensor = converted.model.tensors[i].contiguous();
      const absl::string_view bytes(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
      if (found != stored.constants.end() && found->second.bytes == bytes) continue;
      return absl::InternalError(absl::StrCat(name, ": ", converted.model.constants[i], " is not what was written"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<RoundTrip> Prove(const ArtifactRequest& request, const BuiltModule& built, const std::string& path,
                                  const ProvenCalls& calls, const std::function<void(int64_t)>&) const override {
    ASSIGN_OR_RETURN(const EntryPoint* const forward, ForwardOf(built));
    ASSIGN_OR_RETURN(const onnx::ConvertedModel converted, ConvertForward(request, built));
    ASSIGN_OR_RETURN(RoundTrip proof,
                     onnx::ProveFile(converted, built.module, *forward, path, calls.examples, calls.allow_nonfinite));
    proof.tensors = CountWeights(converted, built.module);  // CheckWritten has compared them.
    return proof;
  }

  absl::StatusOr<std::unique_ptr<RemadeArtifact>> Remake(const ArtifactRequest&, const BuiltModule&,
                                                         const ManifestText&) const override {
    return absl::UnimplementedError("an ONNX file cannot be verified");
  }

  absl::StatusOr<BoundTensors> StoredTensors(const ArtifactFile& file, const std::vector<Slot>&, DType) const override {
    return NotYet(file);
  }

  absl::Status CompareTensors(const ArtifactFile& file, const std::vector<Slot>&, DType,
                              const std::vector<BoundTensors>&) const override {
    return NotYet(file);
  }
};

}  // namespace

const ArtifactFormat& OnnxFormat() {
  static const auto* const format = new Onnx;
  return *format;
}

}  // namespace modelport
