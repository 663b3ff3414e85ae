#ifndef MODELPORT_TOOLS_DIFF_CONFIGURATION_H_
#define MODELPORT_TOOLS_DIFF_CONFIGURATION_H_

#include <map>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// The settings of a model that are no tensors, as texts by name: "argument depth", "blocks.0.attn.num_heads". Names are
// sorted, so that settings of one module are together.
using Configuration = std::map<std::string, std::string>;

// The module types, constants, attributes and knobs of `tree`, and the arguments of `call`, which made it.
Configuration DescribeTree(const ModuleTree& tree, const Call& call);

// A setting that differs.
struct ConfigurationDifference {
  std::string name;
  absl::optional<std::string> a, b;  // Nullopt where a side does not have it.

  bool operator==(const ConfigurationDifference&) const = default;
};

// The settings that differ, by name.
std::vector<ConfigurationDifference> CompareConfigurations(const Configuration& a, const Configuration& b);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_DIFF_CONFIGURATION_H_
