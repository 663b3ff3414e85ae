#include "common/torchscript/script/missing_member.h"

#include <ATen/core/class_type.h>
#include <ATen/core/function.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/module_tree/module_type.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

// Where a member is declared, and what it depends on.
struct Condition {
  std::string text;
  YamlMark mark;
};

template <typename Decl>
void FindCondition(const std::vector<Decl>& members, absl::string_view name, absl::optional<Condition>* found) {
  for (const Decl& member : members) {
    if (member.name == name && member.when.has_value()) *found = Condition{member.when->text(), member.mark};
  }
}

absl::optional<Condition> ConditionOf(const ModuleType& type, absl::string_view name) {
  absl::optional<Condition> found;
  FindCondition(type.parameters, name, &found);
  FindCondition(type.buffers, name, &found);
  FindCondition(type.attributes, name, &found);
  FindCondition(type.children, name, &found);
  return found;
}

std::vector<std::string> MembersOf(const c10::ClassType& type) {
  std::vector<std::string> names;
  for (size_t i = 0; i < type.numAttributes(); ++i) names.push_back(type.getAttributeName(i));
  for (size_t i = 0; i < type.numConstants(); ++i) names.push_back(type.getConstantName(i));
  for (const torch::jit::Function* method : type.methods()) names.push_back(method->name());
  return names;
}

}  // namespace

std::string MissingMember(const ModuleNode& node, const c10::ClassType& type, absl::string_view name,
                          absl::string_view object) {
  if (node.is_list()) {
    return absl::StrCat(node.path, " is a list of modules, without a member ", name, ": loop over it or index it, ",
                        object, "[0].", name);
  }
  if (const absl::optional<Condition> condition = ConditionOf(*node.type, name)) {
    return absl::StrCat(name, " exists only where `when: ", condition->text, "` holds (", MarkString(condition->mark),
                        "); absent in ", node.path.empty() ? "the root module" : node.path, ": guard with hasattr(",
                        object, ", \"", name, "\")");
  }
  return absl::StrCat(node.type->name(), " has no member ", name, NearestHint(name, MembersOf(type)));
}

}  // namespace modelport
