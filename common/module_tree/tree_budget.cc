#include "common/module_tree/tree_budget.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

absl::Status Check(int64_t count, int64_t limit, absl::string_view what) {
  if (count <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("more than ", limit, " ", what));
}

}  // namespace

absl::Status TreeBudget::AddModule(int64_t depth) {
  RETURN_IF_ERROR(Check(depth, kDepth, "levels of modules in a tree"));
  return Check(++modules_, kModules, "modules in a tree");
}

absl::Status TreeBudget::AddMembers(int64_t added, int64_t of_one) {
  RETURN_IF_ERROR(Check(of_one, kMembersOfOne, "arguments and members of a module"));
  members_ += added;
  return Check(members_, kMembers, "arguments and members in a tree");
}

absl::Status TreeBudget::AddElements(int64_t added) {
  // Neither is above the limit, so the sum does not overflow.
  RETURN_IF_ERROR(Check(added, kElements, "elements in a tree"));
  elements_ += added;
  return Check(elements_, kElements, "elements in a tree");
}

}  // namespace modelport
