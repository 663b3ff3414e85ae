#include "common/manifest/manifest.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "common/text/printable.h"

namespace modelport {

namespace pb = google::protobuf::util;

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// In bytes. The largest manifests of published models have 100 kB. Protobuf takes up to 200 bytes of memory for a byte.
constexpr size_t kMaxSize = size_t{1} << 20;

// The least number of bytes that WriteManifest writes of `message`: each field has its name, quotes, a colon, a space,
// a value and a line end. Messages and optional fields that are not set are not written.
size_t LeastSize(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  size_t size = 0;
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* const field = message.GetDescriptor()->field(i);
    if (field->has_presence() && !reflection.HasField(message, field)) continue;
    size += field->name().size() + 6;
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      size += LeastSize(reflection.GetMessage(message, field));
      continue;
    }
    for (int item = 0; item < reflection.FieldSize(message, field); ++item) {
      size += LeastSize(reflection.GetRepeatedMessage(message, field, item));
    }
  }
  return size;
}

// Reads the fields that `message` has. Whether `json` can be parsed.
bool ParseKnown(absl::string_view json, Message& message) {
  pb::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  return json.size() <= kMaxSize && pb::JsonStringToMessage({json.data(), json.size()}, &message, options).ok();
}

Manifest::Weights FromVersion1(const WeightsOfVersion1& old) {
  Manifest::Weights weights;
  *weights.mutable_checkpoints() = old.checkpoints().files();
  if (absl::StartsWith(old.source(), "seeded:")) {
    weights.set_seeded(old.source());
  } else if (!old.source().empty()) {
    Manifest::Checkpoint& checkpoint = *weights.add_checkpoints();
    checkpoint.set_source(old.source());
    checkpoint.set_published(old.published());
    checkpoint.set_layout(old.layout());
    checkpoint.set_state_dict(old.state_dict());
  }
  return weights;
}

// The request of a manifest of version 1 or 2, whose other fields are `manifest`.
Manifest::Request FromVersion2(const RequestOfVersion2& old, const Manifest& manifest) {
  Manifest::Request request;
  request.set_model(old.model());
  *request.mutable_arguments() = old.arguments();
  request.set_target(old.target());
  request.set_wrapper(old.wrapper());
  // Nodes of hosts prepare images without being asked.
  request.set_with_preprocess(!manifest.preprocessing().module().empty() && manifest.interface().channels_in().empty());
  request.set_method(old.method());
  *request.mutable_sizes() = old.sizes();
  *request.mutable_knobs() = old.knob_values();
  *request.mutable_outputs() = old.outputs().kept();
  request.set_runtime(old.runtime());
  request.set_dtype(old.dtype());
  request.set_opset(old.opset());
  request.set_external_data(old.external_data());
  request.set_name(old.name());
  request.set_licence_text(old.licence_text());
  return request;
}

// States the frames of an interface that older releases wrote without them: two, if the second lies in the channels for
// motion.
void AddFrames(Manifest& manifest) {
  const auto& channels = manifest.interface().channels_in();
  if (!manifest.interface().frames().empty() || channels.size() != 6 || channels[3] != "forward.u") return;
  for (const int frame : {0, 1}) manifest.mutable_interface()->add_frames(frame);
}

}  // namespace

absl::string_view WithoutArtifactEnding(absl::string_view artifact_path) {
  absl::ConsumeSuffix(&artifact_path, kArtifactEnding);
  return artifact_path;
}

absl::StatusOr<std::string> ArtifactRealPath(const std::string& artifact) {
  std::error_code error;
  if (!std::filesystem::is_symlink(artifact, error)) return artifact;
  const std::filesystem::path path = std::filesystem::canonical(artifact, error);
  if (error) return absl::NotFoundError(absl::StrCat(artifact, ": ", error.message()));
  return path.string();
}

std::string ManifestPath(absl::string_view artifact_path) {
  return absl::StrCat(WithoutArtifactEnding(artifact_path), ".manifest.json");
}

std::string DataFilePath(absl::string_view artifact_path) { return absl::StrCat(artifact_path, ".data"); }

std::string DataFileName(absl::string_view artifact_path) {
  return DataFilePath(artifact_path.substr(artifact_path.rfind('/') + 1));  // All of it without a slash: npos is -1.
}

absl::StatusOr<std::string> WriteManifest(const Manifest& manifest) {
  pb::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  const auto status = pb::MessageToJsonString(manifest, &text, options);
  if (!status.ok()) return absl::InternalError(absl::StrCat("manifest: ", std::string(status.message())));
  // Protobuf escapes angle brackets for web pages, which makes "-> Tensor" hard to read. An escaped backslash is
  // matched first, so that what follows it is not taken for an escape.
  return absl::StrReplaceAll(text, {{R"(\\)", R"(\\)"}, {R"(\u003c)", "<"}, {R"(\u003e)", ">"}});
}

absl::StatusOr<Manifest> ParseManifest(absl::string_view json, absl::string_view path) {
  if (json.size() > kMaxSize) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a manifest: more than ", kMaxSize, " bytes"));
  }
  Manifest manifest;
  const auto status = pb::JsonStringToMessage({json.data(), json.size()}, &manifest);
  if (!status.ok()) {
    const absl::string_view text = absl::StripTrailingAsciiWhitespace(json);
    // Of several lines, the last is the brace that closes the manifest itself.
    const bool has_end = absl::EndsWith(text, absl::StrContains(text, '\n') ? "\n}" : "}");
    if (text.empty() || (absl::StartsWith(text, "{") && !has_end)) {
      return absl::DataLossError(absl::StrCat(path,
                                              ": not a manifest: ", text.empty() ? "it is empty" : "its end is missing",
                                              "; copy it again with its artifact"));
    }
    const std::string details = absl::StrReplaceAll(PrintableLines(std::string(status.message())), {{"\n", "\n  "}});
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a manifest of this version\n  ", details));
  }
  // A short text can leave out the fields of very many messages. Writing them would take too much memory.
  if (LeastSize(manifest) > json.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": differs from what Modelport writes: fields or line ends are missing"));
  }
  const absl::StatusOr<std::string> written = WriteManifest(manifest);
  if (!written.ok()) return written.status();
  if (*written == json) return manifest;
  const auto differ = std::mismatch(json.begin(), json.end(), written->begin(), written->end()).first;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": line ", 1 + std::count(json.begin(), differ, '\n'),
                   ": differs from what Modelport writes: a duplicate field, another order or other spaces"));
}

Manifest ParseKnownFields(absl::string_view json) {
  Manifest manifest;
  if (!ParseKnown(json, manifest)) return {};
  AddFrames(manifest);
  RequestOfVersion2 request;
  if (manifest.manifest_version() < 3 && ParseKnown(json, request)) {
    *manifest.mutable_request() = FromVersion2(request, manifest);
  }
  WeightsOfVersion1 weights;
  if (manifest.manifest_version() == 0 && ParseKnown(json, weights)) {
    // The manifest within an artifact of a checkpoint's weights says nothing of them.
    if (!weights.source().empty() || weights.has_checkpoints()) *manifest.mutable_weights() = FromVersion1(weights);
  }
  return manifest;
}

}  // namespace modelport
