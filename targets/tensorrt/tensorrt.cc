#include "targets/tensorrt/tensorrt.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/manifest/manifest.pb.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "nlohmann/json.hpp"

namespace modelport {
namespace {

using Json = nlohmann::ordered_json;

// The smallest, the usual and the largest size, or value of a number, for which an engine is built.
using Range = std::array<int64_t, 3>;

// Of images, whose sides are multiples of `multiple`.
Range SidesOf(int64_t multiple, int64_t usual) {
  const int64_t side = (usual + multiple - 1) / multiple * multiple;
  return {std::max<int64_t>(multiple, side / 4 / multiple * multiple), side, 2 * side};
}

// The range of the size that a shape states as `size`: a number, or a letter.
absl::StatusOr<Range> RangeOf(const Manifest& manifest, const Manifest::Input& input, const std::string& size) {
  int64_t number = 0;
  for (const Manifest::Size& fixed : manifest.request().sizes()) {
    if (fixed.letter() == size) number = fixed.size();
  }
  if (number > 0 || absl::SimpleAtoi(size, &number)) return Range{number, number, number};
  if (size == "B") return Range{1, 1, 4};
  if (size != "H" && size != "W") {
    return absl::FailedPreconditionError(absl::StrCat("an engine of TensorRT wants the size ", size, " of ",
                                                      input.name(), ", [", absl::StrJoin(input.shape(), ", "),
                                                      "]: add --sizes=", size, "=NUMBER, as large as what it gets"));
  }
  return SidesOf(std::max<int64_t>(input.multiple_of(), 1),
                 input.recommended_size() > 0 ? input.recommended_size() : 512);
}

struct Profile {
  std::string input;
  std::array<std::vector<int64_t>, 3> shapes = {};  // Smallest, usual, largest.
};

absl::StatusOr<std::vector<Profile>> ProfilesOf(const Manifest& manifest) {
  std::vector<Profile> profiles;
  for (const Manifest::Input& input : manifest.entry_points(0).inputs()) {
    if (!input.default_value().empty()) continue;  // It is no input of the file.
    Profile profile = {.input = input.name()};
    for (const std::string& size : input.shape()) {
      ASSIGN_OR_RETURN(const Range range, RangeOf(manifest, input, size));
      for (size_t i = 0; i < range.size(); ++i) profile.shapes[i].push_back(range[i]);
    }
    if (input.type() == "int") {
      // It decides sizes, so an engine wants its values in the place of a shape. A foreign manifest may state any
      // number.
      constexpr double kMost = 1 << 30;
      if (!input.has_min() || !input.has_max() ||
          !(input.min() >= 0 && input.min() <= input.max() && input.max() <= kMost)) {
        return absl::FailedPreconditionError(
            absl::StrCat("an engine of TensorRT wants the least and the largest ", input.name(),
                         ": state its min, of 0 or more, and its max, not below that, in the plugin's entry_points"));
      }
      const auto least = static_cast<int64_t>(input.min()), most = static_cast<int64_t>(input.max());
      profile.shapes = {{{least}, {most}, {most}}};
    } else if (profile.shapes[0].empty()) {
      profile.shapes = {{{1}, {1}, {1}}};  // A number.
    }
    profiles.push_back(profile);
  }
  return profiles;
}

constexpr std::array<absl::string_view, 3> kNames = {"min", "opt", "max"};

// The command that builds an engine: of a file of one size without shapes.
std::string Command(const std::string& file, const std::vector<Profile>& profiles) {
  std::string command = absl::StrCat("trtexec --onnx=", file, ".onnx --saveEngine=", file, ".engine");
  const bool is_fixed = std::all_of(profiles.begin(), profiles.end(),
                                    [](const Profile& profile) { return profile.shapes[0] == profile.shapes[2]; });
  if (is_fixed) return command;
  for (size_t i = 0; i < kNames.size(); ++i) {
    absl::StrAppend(&command, " --", kNames[i],
                    "Shapes=", absl::StrJoin(profiles, ",", [&](std::string* text, const Profile& profile) {
                      absl::StrAppend(text, profile.input, ":", absl::StrJoin(profile.shapes[i], "x"));
                    }));
  }
  return command;
}

absl::StatusOr<std::vector<PackageFile>> TensorRtPackageFiles(const Manifest& manifest, const std::string&) {
  ASSIGN_OR_RETURN(const std::vector<Profile> profiles, ProfilesOf(manifest));
  Json inputs = Json::object();
  for (const Profile& profile : profiles) {
    for (size_t i = 0; i < kNames.size(); ++i) inputs[profile.input][std::string(kNames[i])] = profile.shapes[i];
  }
  const std::string name = ArtifactName(manifest);
  const Json file = {{"model", name + ".onnx"}, {"inputs", inputs}, {"command", Command(name, profiles)}};
  return std::vector<PackageFile>{{absl::StrCat(name, ".profiles.json"), file.dump(2) + "\n"}};
}

absl::Status CheckTensorRtUses(const Manifest& manifest) { return ProfilesOf(manifest).status(); }

std::string BuildEngine(const std::string& path, const Manifest& manifest) {
  const absl::StatusOr<std::vector<Profile>> profiles = ProfilesOf(manifest);
  const std::string command = profiles.ok() ? Command(ArtifactName(manifest), *profiles) : "";
  return absl::StrCat("in that folder, on the GPU that runs the engine:\n  ", command, "\n", path,
                      ".profiles.json has the command; change the sizes and numbers there first if yours are others.");
}

}  // namespace

// The rules are those of the parser's table of operators of TensorRT 10.
const Target& TensorRtTarget() {
  static const auto* const target = new Target{
      .name = "tensorrt",
      .title = "TensorRT",
      .format = FormatKind::kOnnx,
      .dtypes = {DType::kFloat32, DType::kFloat16},
      .onnx = {.nodes = {{"Resize", "mode", {"nearest", "linear"}},
                         {"Resize",
                          "coordinate_transformation_mode",
                          {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"}},
                         {"Resize", "nearest_mode", {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}},
                         {"ScatterND", "reduction", {"none"}}},
               .sorts_fewer_than = 3840,
               .newest_opset = 20},
      .check = CheckTensorRtUses,
      .package = TensorRtPackageFiles,
      .package_place = "TensorRT",
      .next_step = BuildEngine};
  return *target;
}

}  // namespace modelport
