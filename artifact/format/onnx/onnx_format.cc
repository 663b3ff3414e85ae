#include "artifact/format/onnx/onnx_format.h"

#include <libdeflate.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "artifact/format/built_module.h"
#include "artifact/format/onnx/convert.h"
#include "artifact/format/onnx/node_rules.h"
#include "artifact/format/onnx/openvino.h"
#include "artifact/format/onnx/prove.h"
#include "artifact/format/onnx/read_model.h"
#include "artifact/format/onnx/stored_onnx.h"
#include "artifact/format/onnx/write_model.h"
#include "common/io/mapped_file.h"
#include "common/manifest/manifest.h"
#include "common/manifest/version.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/proof/round_trip.h"
#include "common/torchscript/weights/weights.h"

namespace modelport {
namespace {

// Whether `bytes` are the elements of `tensor`.
bool HasElements(absl::string_view bytes, const at::Tensor& tensor) {
  const absl::Status same = onnx::VisitElements(tensor, [&](absl::string_view elements, bool) {
    return absl::ConsumePrefix(&bytes, elements) ? absl::OkStatus() : absl::DataLossError("others");
  });
  return same.ok() && bytes.empty();
}

// Compares what is written to it with `bytes`.
class ComparingWriter : public Writer {
 public:
  explicit ComparingWriter(absl::string_view bytes) : rest_(bytes), size_(bytes.size()) {}

  absl::Status Write(absl::string_view bytes) override {
    if (differs_at_ >= 0) return absl::OkStatus();
    size_t same = 0;
    if (absl::StartsWith(rest_, bytes)) {
      rest_.remove_prefix(bytes.size());
      return absl::OkStatus();
    }
    while (same < rest_.size() && same < bytes.size() && rest_[same] == bytes[same]) ++same;
    differs_at_ = static_cast<int64_t>(size_ - rest_.size() + same);
    return absl::OkStatus();
  }
  absl::Status WriteLasting(absl::string_view bytes) override { return Write(bytes); }

  // The place of the first byte that differs; -1 if none does.
  int64_t differs_at() const {
    return differs_at_ >= 0 || rest_.empty() ? differs_at_ : static_cast<int64_t>(size_ - rest_.size());
  }

 private:
  absl::string_view rest_;
  size_t size_;
  int64_t differs_at_ = -1;
};

uint32_t ChecksumOf(absl::string_view bytes, uint32_t before = 0) {
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

// Writes to another writer, and computes the checksum of all bytes.
class ChecksumWriter : public Writer {
 public:
  explicit ChecksumWriter(Writer& out) : out_(out) {}

  absl::Status Write(absl::string_view bytes) override {
    checksum_ = ChecksumOf(bytes, checksum_);
    return out_.Write(bytes);
  }
  absl::Status WriteLasting(absl::string_view bytes) override {
    checksum_ = ChecksumOf(bytes, checksum_);
    return out_.WriteLasting(bytes);
  }

  uint32_t checksum() const { return checksum_; }

 private:
  Writer& out_;
  uint32_t checksum_ = 0;
};

int OpsetOf(const ArtifactRequest& request) { return request.opset == 0 ? onnx::kOpset : request.opset; }

class PreparedOnnx : public PreparedArtifact {
 public:
  // `converted` is of the method of `entry_point` of `built`.
  PreparedOnnx(const ArtifactRequest& request, const BuiltModule& built, EntryPoint entry_point,
               onnx::ConvertedModel converted)
      : target_(*request.target),
        summary_(request.entry.variant->summary),
        opset_(OpsetOf(request)),
        external_data_(request.external_data || !onnx::FitsOneFile(converted.model)),
        module_(*built.module),
        entry_point_(std::move(entry_point)),
        converted_(std::move(converted)) {
    converted_.model.graph.set_name(request.entry.variant->name);
  }

  void DescribeCode(Manifest& manifest) const override {
    manifest.mutable_request()->set_opset(opset_);
    manifest.mutable_request()->set_external_data(external_data_);
    for (const std::string& method : MethodSchemas(module_)) {
      if (absl::StartsWith(method, absl::StrCat(entry_point_.method, "("))) manifest.add_methods(method);
    }
  }

  void DescribeFile(Manifest::Artifact&) const override {}

  absl::Status CheckCanRun() const override {
    return Annotate(onnx::CheckNodes(target_, converted_.model), converted_.model.graph.name());
  }

  bool has_data() const override { return external_data_ && onnx::HasLargeConstants(converted_.model); }

  absl::Status Write(const ManifestText& manifest, const ArtifactWriters& out) override {
    ChecksumWriter file(out.file);
    absl::optional<ChecksumWriter> data;
    if (has_data()) data.emplace(*out.data);
    RETURN_IF_ERROR(WriteTo(manifest, {file, data ? &*data : nullptr, out.data_name}));
    checksum_ = file.checksum();
    if (data) data_checksum_ = data->checksum();
    return absl::OkStatus();
  }

  absl::Status CheckWritten(const WrittenArtifact& written, const std::string& name) const override {
    // Checksums tell whether the files are those that were written, and need no transposition of the weights again.
    ASSIGN_OR_RETURN(const ReadFile read, Read(written));
    const bool is_file_same = ChecksumOf(read.file->bytes()) == checksum_;
    const bool is_data_same = read.data == nullptr || ChecksumOf(read.data->bytes()) == data_checksum_;
    if (is_file_same && is_data_same) return absl::OkStatus();
    std::string other = FindOther(read.model);
    if (other.empty()) other = is_file_same ? "what lies between the weights of its data file" : "its graph";
    return absl::InternalError(absl::StrCat(name, ": ", other, " is not what was written"));
  }

  absl::StatusOr<RoundTrip> Prove(const WrittenArtifact& written, const ProvenCalls& calls,
                                  const std::function<void(int64_t)>&) const override {
    if (!has_data()) return ProveIn(onnx::OpenVinoModel::Load(written.file), calls);
    ASSIGN_OR_RETURN(const ReadFile read, Read(written));
    return ProveIn(onnx::OpenVinoModel::LoadBytes(read.file->bytes(), read.model), calls);
  }

  absl::Status CompareBytes(const StoredArtifact& file, const std::vector<Slot>&,
                            const ManifestText& manifest) override {
    ASSIGN_OR_RETURN(const std::string path, ArtifactRealPath(file.path()));
    const MappedFile* const data_file = file.data_file();
    ComparingWriter writer(file.bytes()), data(data_file == nullptr ? "" : data_file->bytes());
    RETURN_IF_ERROR(WriteTo(manifest, {writer, &data, DataFileName(path)}));
    if (writer.differs_at() < 0 && data.differs_at() < 0) return absl::OkStatus();
    const std::string other = FindOther(static_cast<const onnx::StoredOnnx&>(file).model());
    if (!other.empty()) {
      return absl::DataLossError(
          absl::StrCat(file.path(), ": the initializer ", other, " is missing, or is not what Modelport writes"));
    }
    if (writer.differs_at() >= 0) {
      return absl::DataLossError(absl::StrCat(file.path(), ": from byte ", writer.differs_at(),
                                              " on it is not what Modelport writes, in its graph or its metadata"));
    }
    return absl::DataLossError(absl::StrCat(DataFilePath(path), ": from byte ", data.differs_at(),
                                            " on it is not what Modelport writes, beside its tensors"));
  }

  absl::StatusOr<RoundTrip> ProveEqual(const StoredArtifact& file, const ProvenCalls& calls) const override {
    if (!has_data()) return ProveIn(onnx::OpenVinoModel::Load(file.path()), calls);
    const onnx::FileModel& model = static_cast<const onnx::StoredOnnx&>(file).model();
    return ProveIn(onnx::OpenVinoModel::LoadBytes(file.bytes(), model), calls);
  }

 private:
  // A file that was written, and what it says.
  struct ReadFile {
    std::shared_ptr<const MappedFile> file, data;
    onnx::FileModel model;
  };

  absl::Status WriteTo(const ManifestText& manifest, const ArtifactWriters& out) const {
    const auto metadata = [&]() -> absl::StatusOr<std::vector<std::pair<std::string, std::string>>> {
      ASSIGN_OR_RETURN(std::string text, manifest());
      return std::vector<std::pair<std::string, std::string>>{{onnx::kManifestKey, std::move(text)}};
    };
    const onnx::ModelFacts facts = {kModelportVersion, summary_, opset_};
    if (!has_data()) return onnx::WriteModel(converted_.model, facts, metadata, out.file);
    const onnx::DataFile data = {out.data_name, *out.data};
    return onnx::WriteModel(converted_.model, facts, metadata, out.file, &data);
  }

  absl::StatusOr<ReadFile> Read(const WrittenArtifact& written) const {
    ReadFile read;
    ASSIGN_OR_RETURN(read.file, MappedFile::Open(written.file));
    ASSIGN_OR_RETURN(read.model, onnx::ReadModel(read.file->bytes(), written.data_name));
    if (!has_data()) return read;
    ASSIGN_OR_RETURN(read.data, MappedFile::Open(written.data));
    RETURN_IF_ERROR(onnx::FindElements(read.data->bytes(), read.model));
    return read;
  }

  absl::StatusOr<RoundTrip> ProveIn(absl::StatusOr<onnx::OpenVinoModel> file, const ProvenCalls& calls) const {
    RETURN_IF_ERROR(file.status());
    ASSIGN_OR_RETURN(RoundTrip proof, onnx::ProveFile(converted_, module_, entry_point_, *std::move(file),
                                                      calls.examples, calls.allow_nonfinite));
    proof.tensors = CountWeights();  // CheckWritten or CompareBytes has compared them.
    return proof;
  }

  // The name of a constant that `stored` has not as it was made; "" if it has all.
  std::string FindOther(const onnx::FileModel& stored) const {
    const onnx::Model& model = converted_.model;
    for (size_t i = 0; i < model.tensors.size(); ++i) {
      const auto found = stored.constants.find(model.constants[i]);
      if (found == stored.constants.end()) return model.constants[i];
      if (!HasElements(found->second.bytes, model.tensors[i])) return model.constants[i];
    }
    return "";
  }

  // How many constants are weights of the module; others are the code's, such as shapes.
  int64_t CountWeights() const {
    const std::set<std::string> constants(converted_.model.constants.begin(), converted_.model.constants.end());
    int64_t count = 0;
    const auto is_held = [&](const std::string& name) {
      return constants.count(name) > 0 || constants.count(absl::StrCat(name, onnx::kTransposedEnding)) > 0;
    };
    for (const auto& parameter : module_.named_parameters()) count += is_held(parameter.name);
    for (const auto& buffer : module_.named_buffers()) count += is_held(buffer.name);
    return count;
  }

  const Target& target_;
  const std::string summary_;
  const int opset_;
  const bool external_data_;
  const torch::jit::Module module_;
  const EntryPoint entry_point_;
  onnx::ConvertedModel converted_;
  uint32_t checksum_ = 0, data_checksum_ = 0;  // Of what was written last.
};

class Onnx : public ArtifactFormat {
 public:
  absl::string_view ending() const override { return ".onnx"; }

  bool holds_one_method() const override { return true; }

  bool takes_bytes() const override { return false; }

  bool keeps_knobs() const override { return false; }

  absl::StatusOr<std::unique_ptr<PreparedArtifact>> Prepare(const ArtifactRequest& request,
                                                            const BuiltModule& built) const override {
    const std::string& model = request.entry.variant->name;
    if (request.runtime != nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(model, ": --runtime names a release of LibTorch, which does not load ONNX files"));
    }
    for (const std::string& letter : request.target->onnx.wants_sizes) {
      if (request.sizes.count(letter) > 0) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          model, ": ", request.target->title, " takes files of one size: add --sizes=",
          absl::StrJoin(request.target->onnx.wants_sizes, ",",
                        [](std::string* text, const std::string& one) { absl::StrAppend(text, one, "=518"); }),
          ", or what you need"));
    }
    if (OpsetOf(request) < onnx::kOpset || OpsetOf(request) > onnx::kNewestOpset) {
      return absl::InvalidArgumentError(
          absl::StrCat("--opset=", request.opset, ": wants ", onnx::kOpset, " to ", onnx::kNewestOpset));
    }
    if (const int newest = request.target->onnx.newest_opset; newest > 0 && OpsetOf(request) > newest) {
      return absl::InvalidArgumentError(absl::StrCat("--opset=", request.opset, ": ", request.target->title,
                                                     " reads files of opset ", newest, " and older"));
    }
    const EntryPoint* const entry_point = FindEntryPoint(built.entry_points, request.method);
    if (entry_point == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat(model, ": has no entry point ", request.method, ", which the ONNX file would hold"));
    }
    absl::StatusOr<onnx::ConvertedModel> converted =
        onnx::Convert(*built.module, *entry_point, request.sizes, OpsetOf(request));
    if (!converted.ok()) return Annotate(converted.status(), model);
    return std::make_unique<PreparedOnnx>(request, built, *entry_point, *std::move(converted));
  }

  absl::Status CheckCanProve() const override { return onnx::CheckOpenVino(); }

  DType PortType(DType weights) const override { return weights == DType::kFloat16 ? DType::kFloat32 : weights; }

  bool IsPossible(DType weights, const Manifest::Output& stated, const ComparedOutput& output) const override {
    if (stated.equal_on_same_memory()) return false;
    // This machine's rounding moves the largest magnitude a little.
    const at::ScalarType type = ToScalarType(weights);
    return stated.relative() <= onnx::MostNoise(type) ||
           stated.max_abs() <= 1.05 * onnx::MostRounding(type, output.largest);
  }
};

}  // namespace

const ArtifactFormat& OnnxFormat() {
  static const auto* const format = new Onnx;
  return *format;
}

}  // namespace modelport
