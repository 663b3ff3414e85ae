#include "targets/flame/flame.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest.pb.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "nlohmann/json.hpp"

namespace modelport {
namespace {

using Json = nlohmann::ordered_json;

// The letters of so many output channels. Four have no place in a socket.
absl::StatusOr<std::string> OutputChannels(const Manifest& manifest) {
  switch (manifest.interface().channels_out_size()) {
    case 1:
      return "A";
    case 2:
      return "RG";
    case 3:
      return "RGB";
    default:
      return absl::FailedPreconditionError(absl::StrCat("flame takes outputs of 1 to 3 channels, and this one has ",
                                                        manifest.interface().channels_out_size(), ": ",
                                                        absl::StrJoin(manifest.interface().channels_out(), ", ")));
  }
}

absl::Status CheckFlameUses(const Manifest& manifest) {
  if (const int frames = manifest.interface().frames_size(); frames > 0 && !IsBetweenFrames(manifest)) {
    return absl::FailedPreconditionError(
        absl::StrCat("flame gives a model a picture and the next one, and this one takes ", frames,
                     " pictures in one input\n  --target=onnx without a wrapper takes them as the model does"));
  }
  return OutputChannels(manifest).status();
}

Json Socket(const std::string& name, const std::string& help, const std::string& type) {
  return {{"Name", name}, {"Description", help}, {"Type", type}};
}

// Flame has no clips of more than three channels: what follows them is a second socket of the same name.
Json Inputs(const Manifest& manifest, const Manifest::Input& input) {
  Json inputs = Json::array();
  const auto add = [&](const std::string& help, const std::string& type, const std::string& channels) {
    inputs.push_back(Socket(input.name(), help, type));
    inputs.back().update(Json{{"Gain", 1.0}, {"Channels", channels}});
  };
  add("The image, in the colours of a display", "Front", "RGB");
  const auto& channels = manifest.interface().channels_in();
  if (IsBetweenFrames(manifest)) {
    add("The next image of the clip, in the same colours", "Back", "RGB");
  } else if (channels.size() > 3) {
    add(input.help(), channels[3] == "rgba.alpha" ? "Matte" : "Aux", "A");
  }
  return inputs;
}

std::string Description(const Manifest& manifest) {
  const std::string warning =
      manifest.warning().empty() ? "" : "SEEDED weights, which predict nothing, to try the steps. ";
  return absl::StrCat(warning, manifest.summary(), "; licence of the weights: ", LicenceText(manifest),
                      "; made by Modelport ", manifest.modelport_version());
}

absl::StatusOr<std::vector<PackageFile>> FlamePackageFiles(const Manifest& manifest, const std::string&) {
  ASSIGN_OR_RETURN(const std::string channels, OutputChannels(manifest));
  const Manifest::EntryPoint& forward = manifest.entry_points(0);
  const Manifest::Result& result = forward.outputs(0);
  Json output =
      Socket(result.name(), OutputText(result), manifest.interface().kind() == "matte" ? "OutMatte" : "Result");
  output.update(
      Json{{"InverseGain", 1.0}, {"ScalingFactor", static_cast<double>(ScaleOf(manifest))}, {"Channels", channels}});
  const Json description = {{"MinimumVersion", "2025.2"},  // The first that reads Channels.
                            {"Name", TitleOf(manifest)},
                            {"Description", Description(manifest)},
                            {"SupportsSceneLinear", false},
                            {"KeepAspectRatio", true},
                            {"Padding", 1},  // The model pads the image itself.
                            {"Inputs", Inputs(manifest, forward.inputs(0))},
                            {"Outputs", Json::array({output})}};
  const Json file = {{"ModelDescription", description}};
  return std::vector<PackageFile>{{absl::StrCat(ArtifactName(manifest), ".json"), file.dump(2) + "\n"}};
}

std::string LoadModel(const std::string& path, const Manifest&) {
  return absl::StrCat("load ", path, ".onnx in Flame's Inference node; keep ", path, ".json beside it.");
}

}  // namespace

const Target& FlameTarget() {
  static const auto* const target = new Target{.name = "flame",
                                               .title = "Flame",
                                               .format = FormatKind::kOnnx,
                                               .wrappers = "nuke",
                                               .dtypes = {DType::kFloat32},
                                               .onnx = {.sizes = {{"B", 1}}, .wants_sizes = {"H", "W"}},
                                               .check = CheckFlameUses,
                                               .package = FlamePackageFiles,
                                               .package_place = "Flame's Inference node",
                                               .next_step = LoadModel};
  return *target;
}

}  // namespace modelport
