#include "tests/runtime/cases.h"

namespace modelport {
namespace {

using Steps = std::vector<std::string>;

Steps Features() {
  return {"forward 1,3,28,28", "forward_features 1,3,14,42", "get_intermediate_layers 2,3,42,28 0,1 true true true"};
}

Steps Image() { return {"forward 1,3,28,28", "forward 1,3,14,42", "forward 2,3,42,28"}; }

Steps OneView() { return {"forward 1,1,3,28,28", "forward 1,1,3,14,42", "forward 2,1,3,42,28"}; }

// The last one is given cameras.
Steps Views() {
  return {"forward 1,1,3,28,28", "forward 1,3,3,14,42", "forward 2,2,3,42,28", "forward 1,2,3,28,42 1,2,4,4 1,2,3,3"};
}

// Asks for everything else, too: features, Gaussians, cameras from rays.
Steps ViewsAndAll() {
  Steps steps = Views();
  steps.push_back("forward 1,3,3,42,42 none none 1,3 true true first");
  return steps;
}

// Nuke's images have any size: odd ones, and smaller than what they are padded by. After these each knob is set once.
Steps Nuke(const Steps& knobs) {
  const std::string odd = "forward 1,3,37,53";
  Steps steps = {"forward 1,3,28,28", odd, "forward 2,3,5,3"};
  for (const std::string& knob : knobs) steps.insert(steps.end(), {knob, odd});
  return steps;
}

Steps NukeDepth() { return Nuke({"max_size=30", "convention=1", "convention=2", "normalize=1"}); }

Steps NukeMetres() { return Nuke({"max_size=30", "focal=500", "convention=1", "convention=2", "normalize=1"}); }

Steps NukeFeatures() { return Nuke({"max_size=30", "first_channel=380"}); }

}  // namespace

void PrintTo(const ArtifactCase& artifact, std::ostream* os) { *os << artifact.model << "_" << artifact.target; }

std::vector<ArtifactCase> ArtifactCases() {
  return {
      {"dinov2_vits14", "libtorch", Features()},
      {"dinov2_vits14", "nuke", NukeFeatures()},
      {"dinov2_vits14_reg", "libtorch", Features()},
      {"dinov2_vits14_reg", "nuke", NukeFeatures()},
      {"dav2_vits", "libtorch", Image()},
      {"dav2_vits", "nuke", NukeDepth()},
      {"dav2_metric_hypersim_vits", "libtorch", Image()},
      {"dav2_metric_hypersim_vits", "nuke", NukeDepth()},
      {"dav2_metric_vkitti_vits", "libtorch", Image()},
      {"dav2_metric_vkitti_vits", "nuke", NukeDepth()},
      {"da3_small", "libtorch", Views()},
      {"da3_small", "nuke", NukeDepth()},
      {"tiny_any", "libtorch", ViewsAndAll()},
      {"tiny_any", "nuke", NukeDepth()},
      {"tiny_mono", "libtorch", OneView()},
      {"tiny_mono", "nuke", NukeDepth()},
      {"tiny_metric", "libtorch", OneView()},
      {"tiny_metric", "nuke", NukeMetres()},
      {"tiny_nested", "libtorch", Views()},
      {"tiny_nested", "nuke", NukeDepth()},
  };
}

}  // namespace modelport
