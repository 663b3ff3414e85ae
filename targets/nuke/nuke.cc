#include "targets/nuke/nuke.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "targets/nuke/nuke_release.h"
#include "targets/nuke/package_files.h"

namespace modelport {
namespace {

std::string OpenCatFileCreator(const std::string& path, const Manifest&) {
  return absl::StrCat("open ", path, "_CatFileCreator.nk in NukeX; README.md beside it tells the steps.");
}

}  // namespace

const Target& NukeTarget() {
  // The channels are those that every script of Nuke has; docs/nuke.md names the page.
  static const auto* const target =
      new Target{.name = "nuke",
                 .title = "Nuke",
                 .wrappers = "nuke",
                 .newest_runtime = "2.7",
                 .example_releases = "14 or 15.1",
                 .runtime_of = RuntimeOfNuke,
                 .loaded_by = NukesThatLoad,
                 .channels = {"rgba.red", "rgba.green", "rgba.blue", "rgba.alpha", "depth.Z", "forward.u", "forward.v",
                              "backward.u", "backward.v", "deep.front", "deep.back", "disparityL.x", "disparityL.y",
                              "disparityR.x", "disparityR.y", "mask.a", "rotopaint_mask.a", "mask_planartrack.a",
                              "mask_splinewarp.a"},
                 .dtypes = {DType::kFloat32, DType::kFloat16},
                 .check = CheckNukeUses,
                 .package = NukePackageFiles,
                 .icons = {{".png", 24}, {"@2x.png", 48}},
                 .choice = NukeChoiceFiles,
                 .package_place = "Nuke's Cattery",
                 .next_step = OpenCatFileCreator};
  return *target;
}

}  // namespace modelport
