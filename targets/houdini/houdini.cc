#include "targets/houdini/houdini.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest.pb.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "common/text/template.h"
#include "targets/houdini/templates.h"

namespace modelport {
namespace {

// The shape of a port as the node shows it: sizes that the file leaves free are -1.
std::string ShapeOnNode(const Manifest& manifest, const google::protobuf::RepeatedPtrField<std::string>& shape) {
  return absl::StrJoin(shape, " ", [&](std::string* text, const std::string& size) {
    for (const Manifest::Size& fixed : manifest.request().sizes()) {
      if (fixed.letter() == size) return absl::StrAppend(text, fixed.size());
    }
    const bool is_number = size.find_first_not_of("0123456789") == std::string::npos;
    absl::StrAppend(text, is_number ? size : "-1");
  });
}

std::string ChannelsText(const Manifest& manifest, const Manifest::Input& input) {
  if (const auto& frames = manifest.interface().frames(); !frames.empty()) {
    const auto offset = [](std::string* out, int32_t frame) { absl::StrAppendFormat(out, "%+d", frame); };
    return absl::StrCat("red, green and blue of the frame, then of ", frames.size() == 2 ? "that" : "those", " at ",
                        absl::StrJoin(frames.begin() + 1, frames.end(), ", ", offset), " from it");
  }
  if (manifest.interface().channels_in_size() == 3) return "red, green and blue";
  return absl::StrCat("red, green, blue and a fourth: ", input.help());
}

absl::StatusOr<std::vector<PackageFile>> HoudiniPackageFiles(const Manifest& manifest, const std::string& picture) {
  const Manifest::EntryPoint& forward = manifest.entry_points(0);
  const Manifest::Input& input = forward.inputs(0);
  const Manifest::Result& output = forward.outputs(0);
  const TemplateData data = {
      .values = {{"model", ArtifactName(manifest)},
                 {"title", TitleOf(manifest)},
                 {"summary", manifest.summary()},
                 {"source", WeightsSourceText(manifest)},
                 {"licence", LicenceText(manifest)},
                 {"proof", DescribeProof(manifest.round_trip())},
                 {"input", input.name()},
                 {"input_shape", ShapeOnNode(manifest, input.shape())},
                 {"channels", ChannelsText(manifest, input)},
                 {"output", output.name()},
                 {"output_shape", ShapeOnNode(manifest, output.shape())},
                 {"output_text", OutputText(output)},
                 {"picture", picture}},
      .lists = {{"pictured", KeepIf(!picture.empty())}, {"seeded", KeepIf(!manifest.warning().empty())}}};
  ASSIGN_OR_RETURN(const absl::string_view text, FindEmbedded(HoudiniTemplates(), "README.md"));
  ASSIGN_OR_RETURN(std::string page,
                   FillTemplate(text, data, [](absl::string_view value) { return std::string(value); }));
  return std::vector<PackageFile>{{"README.md", std::move(page)}};
}

std::string SetUpNode(const std::string& path, const Manifest&) {
  return absl::StrCat("name ", path, ".onnx in an ONNX Inference node; README.md beside it has its settings.");
}

}  // namespace

const Target& HoudiniTarget() {
  static const auto* const target = new Target{.name = "houdini",
                                               .title = "Houdini",
                                               .format = FormatKind::kOnnx,
                                               .wrappers = "nuke",
                                               .dtypes = {DType::kFloat32},
                                               .onnx = {.sizes = {{"B", 1}}},
                                               .package = HoudiniPackageFiles,
                                               .package_place = "Houdini's ONNX Inference node",
                                               .next_step = SetUpNode};
  return *target;
}

}  // namespace modelport
