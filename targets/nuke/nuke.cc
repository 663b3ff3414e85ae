#include "targets/nuke/nuke.h"

#include "targets/nuke/nuke_release.h"
#include "targets/nuke/package_files.h"

namespace modelport {

const Target& NukeTarget() {
  // The channels are those that every script of Nuke has; docs/nuke.md names the page.
  static const auto* const target =
      new Target{.name = "nuke",
                 .wraps = true,
                 .newest_runtime = "2.7",
                 .runtime_of = RuntimeOfNuke,
                 .loaded_by = NukesThatLoad,
                 .channels = {"rgba.red", "rgba.green", "rgba.blue", "rgba.alpha", "depth.Z", "forward.u", "forward.v",
                              "backward.u", "backward.v", "deep.front", "deep.back", "disparityL.x", "disparityL.y",
                              "disparityR.x", "disparityR.y", "mask.a", "rotopaint_mask.a", "mask_planartrack.a",
                              "mask_splinewarp.a"},
                 .dtypes = {DType::kFloat32, DType::kFloat16},
                 .check = CheckNukeUses,
                 .package = NukePackageFiles};
  return *target;
}

}  // namespace modelport
