#ifndef MODELPORT_COMMON_MODULE_TREE_INTERFACE_H_
#define MODELPORT_COMMON_MODULE_TREE_INTERFACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/yaml/document.h"

namespace modelport {

// What a wrapper says about its forward. For a host with channels, forward takes one image and returns one.
struct Interface {
  // Of the output: "depth", "matte", "features", "colour", "scores" or "normals".
  std::string kind;
  std::vector<std::string> channels_in;   // The host's names of the input's channels, in order: "rgba.red".
  std::vector<std::string> channels_out;  // Those of the output's channels.
  std::string category;                   // The host's menu that lists the model: "Depth Estimation".
  int64_t multiple_of = 1;                // forward pads images to multiples of so many pixels.
  std::vector<Call> examples;             // Calls of forward that the round trip compares.
};

// An Interface as a plugin's YAML states it.
struct InterfaceDecl {
  Interface stated;  // All but `multiple_of`.
  absl::optional<Expression> multiple_of;
  YamlMark mark;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_INTERFACE_H_
