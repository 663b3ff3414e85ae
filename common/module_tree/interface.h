#ifndef MODELPORT_COMMON_MODULE_TREE_INTERFACE_H_
#define MODELPORT_COMMON_MODULE_TREE_INTERFACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/module_tree/expression.h"
#include "common/yaml/document.h"

namespace modelport {

// What a wrapper says about its forward. For a host with channels, forward takes one image and returns one.
struct Interface {
  std::string kind;                            // Of the output: "depth", "matte", "features", "colour" or "scores".
  std::vector<std::string> inputs;             // The host's names of the input's channels, in order: "rgba.red".
  std::vector<std::string> outputs;            // Those of the output's channels.
  std::string category;                        // The host's menu that lists the model: "Depth Estimation".
  std::string help;                            // What a user has to know about the input or output; may be empty.
  int64_t multiple_of = 1;                     // forward pads images to multiples of so many pixels.
  absl::optional<bool> larger_is_nearer = {};  // Of depth, if the wrapper says it.
  bool in_metres = false;                      // Whether depth is.
  std::vector<Call> examples;                  // Calls of forward that the round trip compares.
};

// An Interface as a plugin's YAML states it.
struct InterfaceDecl {
  Interface stated;  // All but the fields below.
  absl::optional<Expression> multiple_of;
  absl::optional<Expression> larger_is_nearer;
  absl::optional<Expression> in_metres;
  YamlMark mark;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_INTERFACE_H_
