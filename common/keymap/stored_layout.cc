#include "common/keymap/stored_layout.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/expression/expression.h"
#include "common/keymap/comparison.h"
#include "common/keymap/key_pattern.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/constant.h"
#include "common/operation/source_input.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/number.h"
#include "common/tensor/shape.h"
#include "common/text/units.h"

namespace modelport {
namespace {

// True if the operations give tensors that their own inverses take back, so that no element is lost.
bool IsExact(const std::vector<Operation>& operations, size_t inputs) {
  for (size_t i = 0; i < operations.size(); ++i) {
    if (!operations[i].Inverse(*CountResults(absl::MakeSpan(operations).first(i), inputs))) return false;
  }
  return true;
}

// The tensors of which the operations of `rule` made `slots`, all that the rule is for; empty if it did not.
std::vector<SlotSource> InputsOf(const Conversion& rule, const std::vector<SlotSource>& slots) {
  const Computed* const first = slots.front().computed();
  if (first == nullptr || first->sources().size() != rule.keys.size()) return {};
  for (size_t i = 0; i < slots.size(); ++i) {
    const Computed* const computed = slots[i].computed();
    const bool is_made = computed != nullptr && computed->operations() == rule.operations && computed->result() == i &&
                         computed->sources() == first->sources();
    if (!is_made) return {};
  }
  return first->sources();
}

// The tensors of the keys from which `rule` makes slots with these sources. FailedPrecondition: why there are none.
absl::StatusOr<std::vector<SlotSource>> TakeBack(const Conversion& rule, const std::vector<SlotSource>& slots) {
  if (slots.size() != rule.slots.size()) {
    return absl::FailedPreconditionError("the layout holds it together with a tensor that the checkpoint lacks");
  }
  std::vector<SlotSource> tensors = InputsOf(rule, slots);
  if (!tensors.empty()) return tensors;
  if (!rule.one_way.empty()) return absl::FailedPreconditionError(rule.one_way);
  if (!IsExact(rule.inverse, slots.size())) {
    return absl::FailedPreconditionError(
        absl::StrCat("the rule at ", MarkString(rule.mark), " is not exact backwards: the keys hold fewer elements"));
  }
  for (size_t k = 0; k < rule.keys.size(); ++k) {
    ASSIGN_OR_RETURN(Computed tensor, Computed::Make(slots, rule.inverse, k));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

class LayoutWriter {
 public:
  LayoutWriter(const Plan& plan, const ModuleTree& tree, const Layout& layout)
      : plan_(plan), tree_(tree), layout_(layout), done_(tree.slots.size()) {
    for (size_t i = 0; i < tree.slots.size(); ++i) {
      indices_[tree.slots[i].name] = i;
      own_keys_[layout.OwnKey(tree.slots[i].name)] = i;
    }
  }

  absl::StatusOr<StoredLayout> Write() {
    RETURN_IF_ERROR(CheckConstants());
    RETURN_IF_ERROR(CheckRenames());
    FindInapplicable();
    for (size_t i = 0; i < tree_.slots.size(); ++i) {
      if (!done_[i]) RETURN_IF_ERROR(StoreSlot(i));
    }
    RETURN_IF_ERROR(ReverseRenames());
    for (StoredTensor& tensor : stored_.tensors) tensor.key = absl::StrCat(layout_.prefix, tensor.key);
    AddUnused();
    return std::move(stored_);
  }

 private:
  absl::Status CheckConstants() const {
    for (const StatedConstant& constant : layout_.constants) {
      const Value* const value = FindConstant(tree_, constant.path);
      if (value != nullptr && ValueString(*value) == constant.value) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(MarkString(constant.mark), ": layout ", layout_.name, " is of models with ", constant.path, " ",
                       constant.value, ", and this one has ", value == nullptr ? "none" : ValueString(*value),
                       "\n  keymap.yaml has another layout for it, or there are no such files of this model"));
    }
    return absl::OkStatus();
  }

  // A key tells every placeholder of the name that a rename took it from.
  absl::Status CheckRenames() const {
    for (const Rename& rename : layout_.renames) {
      if (const std::string problem = UnboundPlaceholder(rename.to, rename.from); !problem.empty()) {
        return absl::InvalidArgumentError(absl::StrCat(MarkString(rename.mark), ": layout ", layout_.name,
                                                       " can only be read: the rename to \"", rename.to.text(),
                                                       "\" cannot be reversed: ", problem));
      }
    }
    return absl::OkStatus();
  }

  std::vector<RuleMatch> Match(const Slot& slot) const {
    return MatchRules(layout_, slot.name, [this](const Conversion& rule) { return !inapplicable_.contains(&rule); });
  }

  // A rule with `when` is for files with a key that matches. Whether this one has it depends on the other slots.
  void FindInapplicable() {
    std::vector<std::string> keys;
    for (size_t i = 0; i < tree_.slots.size(); ++i) {
      const std::string& name = tree_.slots[i].name;
      if (plan_.sources[i].constant() != nullptr || layout_.FindDropped(name) != nullptr) continue;
      const std::vector<RuleMatch> matches = Match(tree_.slots[i]);
      const auto is_open = [](const RuleMatch& match) { return match.rule->when.has_value(); };
      if (std::any_of(matches.begin(), matches.end(), is_open)) continue;
      if (matches.empty()) keys.push_back(layout_.OwnKey(name));
      for (const auto& [rule, bindings, result] : matches) {
        for (size_t k = 0; k < rule->keys.size(); ++k) {
          if (!rule->operations.empty() || k == result) keys.push_back(rule->keys[k].Substitute(bindings));
        }
      }
    }
    for (const Conversion& rule : layout_.sources) {
      const auto matches = [&](const std::string& key) { return rule.when->Matches(key); };
      if (rule.when && std::none_of(keys.begin(), keys.end(), matches)) inapplicable_.insert(&rule);
    }
  }

  absl::Status StoreSlot(size_t i) {
    const Slot& slot = tree_.slots[i];
    const SlotSource& source = plan_.sources[i];
    // One number stands for what a model does without; several are a tensor like any other.
    const Constant* const constant = source.constant();
    if (constant != nullptr && constant->values.size() == 1 && !FillsIn(i)) return LeaveConstant(i);
    if (const Allowance* const dropped = layout_.FindDropped(slot.name)) return Drop(i, *dropped);
    const std::vector<RuleMatch> matches = Match(slot);
    if (matches.empty()) return StoreByName(i);
    if (matches.size() > 1) {
      return absl::InvalidArgumentError(absl::StrCat(MarkString(matches[1].rule->mark), ": fills ", slot.name,
                                                     ", which the rule at ", MarkString(matches[0].rule->mark),
                                                     " fills, too"));
    }
    const RuleMatch& match = matches.front();
    if (!match.rule->operations.empty()) return StoreByRule(match);
    return Store(i, match.rule->keys[match.result].Substitute(match.bindings), source, match.rule);
  }

  // A slot that the checkpoint has and no file of the layout: nothing is lost if its elements are those that a reader
  // of such a file takes.
  absl::Status Drop(size_t i, const Allowance& dropped) {
    ASSIGN_OR_RETURN(const bool is_known, HasNumbers(plan_.sources[i], dropped.values));
    if (!is_known) Refuse(i, dropped.reason);
    return absl::OkStatus();
  }

  // Whether the elements are `values`, one for each. Of a checkpoint that has headers alone they may be.
  static absl::StatusOr<bool> HasNumbers(const SlotSource& source, const std::vector<Number>& values) {
    const int64_t count = ElementCount(source.shape()).value_or(0);
    if (values.size() < 2 || static_cast<int64_t>(values.size()) != count) return false;
    for (const SourceInput& input : source.inputs()) {
      if (input.checkpoint.storages().empty()) return true;
    }
    std::string own(count * ByteSize(source.dtype()), '\0'), stated = own;
    RETURN_IF_ERROR(source.Evaluate(own.data()));
    const Constant constant = {source.shape(), source.dtype(), "", values};
    RETURN_IF_ERROR(constant.Evaluate(stated.data()));
    return own == stated;
  }

  // Whether a file has the slot although the checkpoint lacks it.
  bool FillsIn(size_t i) {
    const std::string& slot = tree_.slots[i].name;
    const Allowance* const allowance = layout_.FindMissing(slot);
    if (allowance == nullptr || !allowance->is_written ||
        !AreSameNumbers(allowance->values, plan_.sources[i].constant()->values)) {
      return false;
    }
    stored_.filled.push_back(slot);
    return true;
  }

  // A slot that the checkpoint lacks and a file lacks, too, or cannot lack.
  absl::Status LeaveConstant(size_t i) {
    const std::string& slot = tree_.slots[i].name;
    const Constant& constant = *plan_.sources[i].constant();
    const Allowance* const allowance = layout_.FindMissing(slot);
    if (allowance == nullptr) {
      Refuse(i, absl::StrCat("the checkpoint lacks it, layout ", layout_.name, " requires it"));
    } else if (!AreSameNumbers(allowance->values, constant.values)) {
      Refuse(i, absl::StrCat("the checkpoint lacks it, which means ", NumbersText(constant.values), ", and in layout ",
                             layout_.name, " ", NumbersText(allowance->values)));
    } else {
      stored_.lacking.push_back(slot);
    }
    return absl::OkStatus();
  }

  // Slots that share a tensor, which the layout holds once, are stored once if they have the same.
  absl::Status StoreByName(size_t i) {
    const std::string& name = tree_.slots[i].name;
    const auto shared = own_keys_.find(layout_.StoredKey(name));
    if (shared != own_keys_.end() && shared->second != i && plan_.sources[shared->second] == plan_.sources[i]) {
      return absl::OkStatus();
    }
    return Store(i, layout_.OwnKey(name), plan_.sources[i], nullptr);
  }

  // Stores all slots that a rule with operations makes of the same keys.
  absl::Status StoreByRule(const RuleMatch& match) {
    const Conversion& rule = *match.rule;
    std::vector<size_t> group;
    std::vector<SlotSource> sources;
    for (const KeyPattern& pattern : rule.slots) {
      const auto slot = indices_.find(pattern.Substitute(match.bindings));
      if (slot == indices_.end()) continue;
      done_[slot->second] = true;
      group.push_back(slot->second);
      if (plan_.sources[slot->second].constant() == nullptr) sources.push_back(plan_.sources[slot->second]);
    }
    const absl::StatusOr<std::vector<SlotSource>> tensors = TakeBack(rule, sources);
    if (!tensors.ok()) {
      for (const size_t i : group) Refuse(i, std::string(tensors.status().message()));
      return absl::OkStatus();
    }
    for (size_t k = 0; k < rule.keys.size(); ++k) {
      RETURN_IF_ERROR(Store(group.front(), rule.keys[k].Substitute(match.bindings), (*tensors)[k], &rule));
    }
    return absl::OkStatus();
  }

  // Stores a tensor of slot `i`. Slots of a one-way rule may share a key.
  absl::Status Store(size_t i, std::string key, SlotSource source, const Conversion* rule) {
    if (source.computed() != nullptr && source.computed()->changes_numbers()) {
      Refuse(i, absl::StrCat("layout ", plan_.layout, " gives it other numbers by ", plan_.sources[i].operation()));
      return absl::OkStatus();
    }
    const auto [known, is_new] = keys_.emplace(key, stored_.tensors.size());
    if (is_new) {
      stored_.tensors.push_back({std::move(key), std::move(source)});
      return absl::OkStatus();
    }
    if (stored_.tensors[known->second].source == source) return absl::OkStatus();
    if (rule != nullptr && !rule->one_way.empty()) {
      Refuse(i, rule->one_way);
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat("layout ", layout_.name, " cannot be written: ", tree_.slots[i].name,
                                                   " and another slot have the key ", key));
  }

  // Names what fills slot `i`, or the slot if nothing does.
  void Refuse(size_t i, const std::string& reason) {
    const std::vector<SourceInput> inputs = plan_.sources[i].inputs();
    if (inputs.empty()) stored_.unstorable.push_back({tree_.slots[i].name, reason});
    for (const SourceInput& input : inputs) {
      if (refused_.insert(input.tensor->key).second) stored_.unstorable.push_back({input.tensor->key, reason});
    }
  }

  absl::Status ReverseRenames() {
    for (auto rename = layout_.renames.rbegin(); rename != layout_.renames.rend(); ++rename) {
      bool matches = false;
      for (StoredTensor& tensor : stored_.tensors) {
        const absl::optional<KeyBindings> bindings = rename->to.Match(tensor.key);
        if (!bindings) continue;
        tensor.key = rename->from.Substitute(*bindings);
        matches = true;
      }
      if (!matches) {
        return absl::InvalidArgumentError(absl::StrCat(MarkString(rename->mark), ": layout ", layout_.name,
                                                       " does not name this model's keys: no key is renamed to \"",
                                                       rename->to.text(), "\""));
      }
    }
    return absl::OkStatus();
  }

  // Adds what the checkpoint holds beside the slots.
  void AddUnused() {
    for (const auto& [key, reason] : plan_.unused) {
      stored_.unstorable.push_back({key, absl::StrCat("the model does not use it: ", reason)});
    }
    for (const LeftOut& part : plan_.left_out) {
      stored_.unstorable.push_back(
          {DictFlag(part.path), absl::StrCat(Counted(part.tensors, "tensor"), " beside the state dict of the model")});
    }
  }

  const Plan& plan_;
  const ModuleTree& tree_;
  const Layout& layout_;
  absl::flat_hash_map<absl::string_view, size_t> indices_;  // Of the slots, by name.
  absl::flat_hash_map<std::string, size_t> own_keys_;       // The same by the keys of their own names.
  std::vector<bool> done_;                                  // The slots that were stored with another.
  absl::flat_hash_set<const Conversion*> inapplicable_;     // Rules of `sources` whose `when` matches no key.
  absl::flat_hash_map<std::string, size_t> keys_;           // Indices of the tensors stored so far.
  absl::flat_hash_set<std::string> refused_;                // Keys of the checkpoint in `unstorable`.
  StoredLayout stored_;
};

// `plan` with the zeros that it fills in of the dtype that all floating tensors of the checkpoint have, if they have
// one.
Plan WithZerosOfItsDType(Plan plan, const ModuleTree& tree) {
  absl::optional<DType> dtype;
  for (const SlotSource& source : plan.sources) {
    if (source.constant() != nullptr || !IsFloating(source.dtype())) continue;
    if (dtype && *dtype != source.dtype()) return plan;
    dtype = source.dtype();
  }
  if (!dtype || (!IsArtifactDType(*dtype) && *dtype != DType::kFloat64)) return plan;
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    const Constant* const constant = plan.sources[i].constant();
    if (constant == nullptr || !constant->is_zeros() || tree.slots[i].dtype) continue;
    Constant zeros = *constant;
    zeros.filled_dtype = *dtype;
    plan.sources[i] = SlotSource(std::move(zeros));
  }
  return plan;
}

}  // namespace

absl::StatusOr<StoredLayout> StoreInLayout(const Plan& plan, const ModuleTree& tree, const Layout& layout) {
  const Plan typed = WithZerosOfItsDType(plan, tree);
  return LayoutWriter(typed, tree, layout).Write();
}

}  // namespace modelport
