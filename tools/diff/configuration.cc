#include "tools/diff/configuration.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/module_tree/module_tree.h"
#include "common/module_tree/module_type.h"
#include "common/text/dotted_path.h"

namespace modelport {
namespace {

void AddNode(const ModuleNode& node, Configuration* configuration) {
  if (!node.is_list()) {
    (*configuration)[absl::StrCat("module type of ", node.path.empty() ? "the root" : node.path)] = node.type->name();
  }
  for (const auto& [name, value] : node.constants) {
    (*configuration)[absl::StrCat("constant ", JoinPath(node.path, name))] = ValueString(value);
  }
  for (const auto& [name, value] : node.attributes) {
    (*configuration)[absl::StrCat("attribute ", JoinPath(node.path, name))] = ValueString(value);
  }
  for (const Knob& knob : node.knobs) {
    (*configuration)[absl::StrCat("knob ", JoinPath(node.path, knob.name))] =
        absl::StrCat(knob.value, " in ", knob.min, " to ", knob.max);
  }
  for (const ModuleNode::Child& child : node.children) AddNode(*child.node, configuration);
}

}  // namespace

Configuration DescribeTree(const ModuleTree& tree, const Call& call) {
  Configuration configuration;
  // The tree was made with these arguments, so that they can be evaluated.
  const absl::StatusOr<Scope> arguments = BindArguments(tree.root.type->signature, call, {});
  if (arguments.ok()) {
    for (const auto& [name, value] : *arguments) configuration[absl::StrCat("argument ", name)] = ValueString(value);
  }
  AddNode(tree.root, &configuration);
  return configuration;
}

std::vector<ConfigurationDifference> CompareConfigurations(const Configuration& a, const Configuration& b) {
  std::vector<ConfigurationDifference> differences;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      differences.push_back({i->first, i->second, absl::nullopt});
      ++i;
    } else if (i == a.end() || j->first < i->first) {
      differences.push_back({j->first, absl::nullopt, j->second});
      ++j;
    } else {
      if (i->second != j->second) differences.push_back({i->first, i->second, j->second});
      ++i;
      ++j;
    }
  }
  return differences;
}

}  // namespace modelport
