#include "common/module_tree/keep_outputs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/module_tree/entry_point.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

using Names = std::vector<std::string>;

bool Has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The outputs of the root's forward, two of one name once.
std::vector<Port> OutputsOf(const ModuleTree& tree) {
  std::vector<Port> outputs;
  const EntryPoint* const forward = FindEntryPoint(tree.entry_points, "forward");
  if (forward == nullptr) return outputs;
  for (const Port& port : forward->outputs) {
    if (FindPort(outputs, port.name) == nullptr) outputs.push_back(port);
  }
  return outputs;
}

Names NamesOf(const std::vector<Port>& ports) {
  Names names;
  for (const Port& port : ports) names.push_back(port.name);
  return names;
}

absl::Status CannotLeaveOut(const std::string& name, const std::vector<Port>& outputs) {
  Names switched;
  for (const Port& port : outputs) {
    if (!port.switched_by.empty()) switched.push_back(port.name);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      name, " cannot be left out, so the list wants it, too; ",
      switched.empty() ? "no output of this model can be left out"
                       : absl::StrCat("the outputs that can be left out are ", absl::StrJoin(switched, ", "))));
}

// The arguments that switch on the outputs that are not among `names`.
absl::StatusOr<std::set<std::string>> SwitchesOff(const std::vector<Port>& outputs, const Names& names) {
  std::set<std::string> switches;
  for (const Port& port : outputs) {
    if (Has(names, port.name)) continue;
    if (!port.switched_by.empty()) {
      switches.insert(port.switched_by);
    } else if (port.only_with.empty()) {
      return CannotLeaveOut(port.name, outputs);
    }
  }
  for (const Port& kept : outputs) {
    if (!Has(names, kept.name) || switches.count(kept.switched_by) == 0) continue;
    Names together;
    for (const Port& port : outputs) {
      if (port.switched_by == kept.switched_by) together.push_back(port.name);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("wants all of ", absl::StrJoin(together, ", "), " or none: they are computed together"));
  }
  return switches;
}

// `call` with 0 for these arguments of `callee`.
absl::StatusOr<Call> SwitchOff(const std::set<std::string>& switches, const Signature& callee, Call call) {
  ASSIGN_OR_RETURN(const Expression off, Expression::Parse("0"));
  for (size_t i = 0; i < callee.arguments.size(); ++i) {
    const std::string& name = callee.arguments[i].name;
    if (switches.count(name) == 0) continue;
    if (i < call.positional.size()) {
      call.positional[i] = off;
      continue;
    }
    const auto is_it = [&](const auto& argument) { return argument.first == name; };
    call.named.erase(std::remove_if(call.named.begin(), call.named.end(), is_it), call.named.end());
    call.named.emplace_back(name, off);
  }
  return call;
}

absl::Status ChangesMore(const ModuleTree& model, const std::string& what) {
  const EntryPoint* const forward = FindEntryPoint(model.entry_points, "forward");
  return absl::InvalidArgumentError(absl::StrCat(forward->place, ": an argument that field \"switched_by\" names ",
                                                 what, " where it is 0, and may only leave out"));
}

// Compares both trees, of which `kept` should lack what is left out and have nothing else. Adds the slots that it lacks
// to `left_out`.
absl::Status CompareSlots(const ModuleTree& model, const ModuleTree& kept, Names* left_out) {
  size_t next = 0;
  for (const Slot& slot : model.slots) {
    const Slot* const same = next < kept.slots.size() ? &kept.slots[next] : nullptr;
    if (same == nullptr || same->name != slot.name) {
      left_out->push_back(slot.name);
      continue;
    }
    if (same->shape != slot.shape || same->is_buffer != slot.is_buffer || same->dtype != slot.dtype) {
      return ChangesMore(model, absl::StrCat("changes ", slot.name));
    }
    ++next;
  }
  if (next < kept.slots.size()) return ChangesMore(model, absl::StrCat("adds or moves ", kept.slots[next].name));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<KeptOutputs> KeepOutputs(std::shared_ptr<const ModuleTree> model, const Call& call, const Names& names) {
  KeptOutputs kept;
  kept.call = call;
  kept.tree = model;
  if (names.empty()) return kept;
  const std::vector<Port> outputs = OutputsOf(*model);
  if (outputs.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(call.type,
                     " does not state what its forward gives, so nothing can be left out: its plugin can state "
                     "that under entry_points"));
  }
  for (const std::string& name : names) {
    if (FindPort(outputs, name) != nullptr) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("forward has no output \"", Brief(name), "\"", NearestHint(name, NamesOf(outputs))));
  }
  ASSIGN_OR_RETURN(const std::set<std::string> switches, SwitchesOff(outputs, names));
  if (switches.empty()) return kept;
  ASSIGN_OR_RETURN(kept.call, SwitchOff(switches, model->root.type->signature, call));
  ASSIGN_OR_RETURN(ModuleTree tree, BuildModuleTree(model->library, kept.call));
  kept.tree = std::make_shared<const ModuleTree>(std::move(tree));
  for (const Port& port : outputs) {
    (switches.count(port.switched_by) == 0 ? kept.names : kept.left_out).push_back(port.name);
  }
  if (NamesOf(OutputsOf(*kept.tree)) != kept.names) return ChangesMore(*model, "changes other outputs");
  RETURN_IF_ERROR(CompareSlots(*model, *kept.tree, &kept.left_out_slots));
  return kept;
}

}  // namespace modelport
