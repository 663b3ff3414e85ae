#include "registry/recognise/infer_models.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/keymap/comparison.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/likeness.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "registry/plugin.h"
#include "registry/recognise/checked_plan.h"

namespace modelport {
namespace {

// More than any model has of one kind of module: it bounds the work for a file with as many keys.
constexpr int64_t kMaxCount = 10000;
constexpr int64_t kMaxFirst = 200;

absl::StatusOr<std::string> TextArgument(const std::vector<Value>& arguments) {
  const auto* const text = arguments.size() == 1 ? std::get_if<std::string>(&arguments[0]) : nullptr;
  if (text != nullptr) return *text;
  return absl::InvalidArgumentError("wants the name of a slot in quotes");
}

absl::optional<Shape> ShapeOf(const LayoutReading& reading, const std::string& slot) {
  Slot wanted;
  wanted.name = slot;
  const FoundSource found = FindSource(wanted, reading);
  if (!found.source) return absl::nullopt;
  return found.source->shape();
}

// `pattern` with `index` in the place of {i}.
std::string SlotAt(const std::string& pattern, int64_t index) {
  return absl::StrReplaceAll(pattern, {{"{i}", absl::StrCat(index)}});
}

// The slot with the smallest number in the place of {i} of which the file has something.
absl::StatusOr<int64_t> FirstIndex(const LayoutReading& reading, const std::string& pattern) {
  for (int64_t i = 0; i < kMaxFirst; ++i) {
    if (ShapeOf(reading, SlotAt(pattern, i))) return i;
  }
  return absl::NotFoundError(absl::StrCat("the file has nothing for ", pattern));
}

absl::StatusOr<std::string> PatternArgument(const std::vector<Value>& arguments) {
  ASSIGN_OR_RETURN(std::string pattern, TextArgument(arguments));
  if (absl::StrContains(pattern, "{i}")) return pattern;
  return absl::InvalidArgumentError("wants a slot with {i} in its name");
}

absl::StatusOr<Value> First(const LayoutReading& reading, const std::vector<Value>& arguments) {
  ASSIGN_OR_RETURN(const std::string pattern, PatternArgument(arguments));
  ASSIGN_OR_RETURN(const int64_t first, FirstIndex(reading, pattern));
  return Value(first);
}

absl::StatusOr<Value> ShapeAt(const LayoutReading& reading, const std::string& slot) {
  const absl::optional<Shape> shape = ShapeOf(reading, slot);
  if (!shape) return absl::NotFoundError(absl::StrCat("the file has nothing for ", slot));
  return Value(std::vector<int64_t>(shape->begin(), shape->end()));
}

// shape("SLOT") or, with a number in the place of {i}, shape("SLOT with {i}", NUMBER). Of a pattern alone the shape of
// the first.
absl::StatusOr<Value> GetShape(const LayoutReading& reading, const std::vector<Value>& arguments) {
  if (arguments.size() == 2) {
    ASSIGN_OR_RETURN(const std::string pattern, PatternArgument({arguments[0]}));
    const int64_t* const index = std::get_if<int64_t>(&arguments[1]);
    if (index == nullptr) return absl::InvalidArgumentError("wants a number in the place of {i}");
    return ShapeAt(reading, SlotAt(pattern, *index));
  }
  ASSIGN_OR_RETURN(const std::string slot, TextArgument(arguments));
  if (!absl::StrContains(slot, "{i}")) return ShapeAt(reading, slot);
  ASSIGN_OR_RETURN(const int64_t first, FirstIndex(reading, slot));
  return ShapeAt(reading, SlotAt(slot, first));
}

// How many of SLOT with 0, 1, ... in the place of {i} the file has before the first that it lacks.
absl::StatusOr<Value> Count(const LayoutReading& reading, const std::vector<Value>& arguments) {
  ASSIGN_OR_RETURN(const std::string pattern, PatternArgument(arguments));
  int64_t count = 0;
  while (count < kMaxCount && ShapeOf(reading, SlotAt(pattern, count))) ++count;
  if (count == 0) return absl::NotFoundError(absl::StrCat("the file has nothing for ", pattern));
  return Value(count);
}

// size("SLOT", DIM): a size of the shape; 0 if the file has nothing for SLOT.
absl::StatusOr<Value> GetSize(const LayoutReading& reading, const std::vector<Value>& arguments) {
  const auto* const slot = arguments.size() == 2 ? std::get_if<std::string>(&arguments[0]) : nullptr;
  const int64_t* const dim = arguments.size() == 2 ? std::get_if<int64_t>(&arguments[1]) : nullptr;
  if (slot == nullptr || dim == nullptr || *dim < 0) {
    return absl::InvalidArgumentError("wants the name of a slot in quotes and a dimension");
  }
  const absl::optional<Shape> shape = ShapeOf(reading, *slot);
  if (!shape) return Value(int64_t{0});
  if (static_cast<size_t>(*dim) < shape->size()) return Value((*shape)[*dim]);
  return absl::NotFoundError(absl::StrCat("what the file has for ", *slot, " has no dimension ", *dim));
}

absl::StatusOr<Value> SquareRoot(const std::vector<Value>& arguments) {
  const int64_t* const square = arguments.size() == 1 ? std::get_if<int64_t>(&arguments[0]) : nullptr;
  if (square == nullptr || *square < 0) return absl::InvalidArgumentError("wants an integer that is not negative");
  const int64_t root = std::llround(std::sqrt(static_cast<long double>(*square)));
  if (root * root != *square) return absl::InvalidArgumentError(absl::StrCat(*square, " is not a square"));
  return Value(root);
}

Functions FunctionsOf(const LayoutReading& reading) {
  return {{"shape", [&reading](const std::vector<Value>& arguments) { return GetShape(reading, arguments); }},
          {"first", [&reading](const std::vector<Value>& arguments) { return First(reading, arguments); }},
          {"count", [&reading](const std::vector<Value>& arguments) { return Count(reading, arguments); }},
          {"size", [&reading](const std::vector<Value>& arguments) { return GetSize(reading, arguments); }},
          {"isqrt", SquareRoot}};
}

// `call` with `arguments` in the place of its own.
absl::StatusOr<Call> ChangedCall(const Signature& signature, const Call& call,
                                 const std::map<std::string, std::string>& arguments) {
  return ParseCall(TextOfCall(signature, call, arguments));
}

// Whether `rule` reads a file, or follows arguments that other rules have `changed`.
bool IsWanted(const ArgumentRule& rule, const std::map<std::string, std::string>& changed) {
  if (!rule.value.functions().empty()) return true;
  const std::vector<std::string> names = rule.value.names();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return changed.count(name) > 0; });
}

// What rules find.
struct Found {
  std::map<std::string, std::string> changed;  // The arguments that are not the catalog's.
  std::vector<std::string> asked;              // Those that follow these by a rule that has no value.
};

// What `rules` find in `reading` of the arguments of `call`. A rule for which the file has nothing changes nothing.
absl::StatusOr<Found> FindChanged(const std::vector<ArgumentRule>& rules, const Signature& signature, const Call& call,
                                  const LayoutReading& reading) {
  const Functions functions = FunctionsOf(reading);
  Found found;
  for (const ArgumentRule& rule : rules) {
    if (!IsWanted(rule, found.changed)) continue;
    ASSIGN_OR_RETURN(const Call now, ChangedCall(signature, call, found.changed));
    ASSIGN_OR_RETURN(const Scope scope, BindArguments(signature, now, Scope()));
    const absl::StatusOr<Value> value = rule.value.Evaluate(scope, functions);
    if (!value.ok()) {
      if (rule.value.functions().empty()) found.asked.push_back(rule.argument);
      continue;
    }
    const auto own = scope.find(rule.argument);
    if (own == scope.end() || own->second.index() != value->index() || own->second == *value) continue;
    found.changed[rule.argument] = ValueString(*value);
  }
  return found;
}

// `call` with the arguments `changed`, which `entry` has then, if `reading` fits it.
absl::optional<Call> FittingCall(const LayoutReading& reading, const CatalogEntry& entry, const Signature& signature,
                                 const std::map<std::string, std::string>& changed) {
  const absl::StatusOr<Call> call = ChangedCall(signature, entry.variant->module, changed);
  if (!call.ok()) return absl::nullopt;
  const absl::StatusOr<ModuleTree> tree = BuildModuleTree(entry.plugin->library, *call);
  if (!tree.ok() || !CompareIfFits(reading, *tree)) return absl::nullopt;
  return *call;
}

// Removes those of `changed`, with which `reading` fits, that a table of positions alone tells: --resample makes one of
// the catalog's size. Returns whether there were any.
bool KeepTableSize(const LayoutReading& reading, const CatalogEntry& entry, const Signature& signature,
                   std::map<std::string, std::string>& changed) {
  if (!reading.resamples) return false;
  const size_t before = changed.size();
  for (const auto& [name, value] : std::map<std::string, std::string>(changed)) {
    std::map<std::string, std::string> fewer = changed;
    fewer.erase(name);
    if (FittingCall(reading, entry, signature, fewer)) changed = std::move(fewer);
  }
  return changed.size() < before;
}

// What `entry` is with the arguments that `mapper`'s checkpoint tells; nullopt if it does not fit so either.
absl::optional<InferredModel> InferModel(const KeyMapper& mapper, const CatalogEntry& entry,
                                         const std::vector<ArgumentRule>& rules) {
  const Call& call = entry.variant->module;
  const Signature& signature = entry.plugin->library->Find(call.type)->signature;
  for (const LayoutReadings& layout : mapper.layouts()) {
    for (const LayoutReading& reading : layout.readings) {
      if (!reading.recognised()) continue;
      auto found = FindChanged(rules, signature, call, reading);
      if (!found.ok() || found->changed.empty()) continue;
      absl::optional<Call> other = FittingCall(reading, entry, signature, found->changed);
      if (!other) continue;
      if (KeepTableSize(reading, entry, signature, found->changed)) {
        other = FittingCall(reading, entry, signature, found->changed);
      }
      const absl::StatusOr<Scope> scope = BindArguments(signature, *other, Scope());
      if (!scope.ok()) continue;
      InferredModel model = {entry, found->changed, *other, *scope, {}, found->asked, reading.others};
      for (const auto& [name, value, origin] : OriginsOf(*entry.plugin, *other, {})) {
        const bool is_asked = std::count(model.asked.begin(), model.asked.end(), name) > 0;
        if (origin != ArgumentOrigin::kRead && !is_asked) model.assumed[name] = value;
      }
      return model;
    }
  }
  return absl::nullopt;
}

// The arguments of `model` but for those that the user has to give.
Scope Told(const InferredModel& model) {
  Scope told = model.all;
  for (const std::string& name : model.asked) told.erase(name);
  return told;
}

// Whether the whole file is more like a variant that it does not fit than like those of `fitting`, of which each is a
// part of it: a depth model with one key too many is no backbone.
bool IsMoreLikeAnother(const Registry& registry, const Checkpoint& checkpoint, const SourceChoice& choice,
                       const std::vector<FittingVariant>& fitting) {
  if (fitting.empty()) return false;
  double own = 0, others = 0;
  ForEachVariant<Likeness>(
      registry, checkpoint, choice, [&](const Likeness& likeness, const CatalogEntry& entry, const ModuleTree& tree) {
        const auto fits = std::find_if(fitting.begin(), fitting.end(),
                                       [&](const auto& variant) { return variant.entry.variant == entry.variant; });
        if (fits == fitting.end()) {
          others = std::max(others, likeness.Of(tree).share);
        } else {
          const double slots = tree.slots.size();  // Each has a key, of its name and its shape.
          own = std::max(own, 2 * slots / (2 * slots + fits->others));
        }
      });
  return others > own;
}

}  // namespace

std::vector<InferredModel> InferModels(const Registry& registry, const Checkpoint& checkpoint,
                                       const SourceChoice& choice) {
  // Of each module type those with the fewest arguments that differ. Two variants with the same arguments are one
  // model.
  std::map<std::string, std::vector<InferredModel>> by_root;
  size_t least = std::numeric_limits<size_t>::max();  // The fewest keys that a variant leaves, as it is.
  ForEachVariant<KeyMapper>(
      registry, checkpoint, choice, [&](const KeyMapper& mapper, const CatalogEntry& entry, const ModuleTree& tree) {
        const std::string& root = entry.variant->module.type;
        const auto rules = entry.plugin->arguments.find(root);
        if (mapper.Fits(tree)) {
          const absl::StatusOr<Plan> plan = mapper.MakePlan(tree, entry.variant->name);
          least = std::min(least, plan.ok() ? plan->others : 0);
          return;
        }
        if (rules == entry.plugin->arguments.end()) return;
        absl::optional<InferredModel> model = InferModel(mapper, entry, rules->second);
        if (!model) return;
        std::vector<InferredModel>& models = by_root[root];
        const size_t fewest = models.empty() ? model->arguments.size() : models.front().arguments.size();
        if (model->arguments.size() > fewest) return;
        if (model->arguments.size() < fewest) models.clear();
        const auto is_same = [&](const InferredModel& other) { return Told(other) == Told(*model); };
        if (std::none_of(models.begin(), models.end(), is_same)) models.push_back(*std::move(model));
      });
  std::vector<InferredModel> all;
  for (auto& [root, models] : by_root) std::move(models.begin(), models.end(), std::back_inserter(all));
  const size_t declared = least;
  for (const InferredModel& model : all) least = std::min(least, model.others);
  const auto is_smaller = [&](const InferredModel& model) { return model.others > least || model.others >= declared; };
  all.erase(std::remove_if(all.begin(), all.end(), is_smaller), all.end());
  return all;
}

Fits FindFits(const Registry& registry, const Checkpoint& checkpoint, const SourceChoice& choice) {
  Fits fits = {FindFittingVariants(registry, checkpoint, choice), {}};
  if (fits.variants.empty() || fits.variants.front().others > 0) {
    fits.inferred = InferModels(registry, checkpoint, choice);
    if (!fits.inferred.empty() || IsMoreLikeAnother(registry, checkpoint, choice, fits.variants)) fits.variants.clear();
  }
  return fits;
}

absl::string_view OriginName(ArgumentOrigin origin) {
  if (origin == ArgumentOrigin::kRead) return "read";
  return origin == ArgumentOrigin::kGiven ? "given" : "assumed";
}

std::vector<ToldArgument> OriginsOf(const Plugin& plugin, const Call& module,
                                    const std::map<std::string, std::string>& changed) {
  const absl::StatusOr<Scope> scope = BindArguments(plugin.library->Find(module.type)->signature, module, Scope());
  if (!scope.ok()) return {};
  std::map<std::string, ArgumentOrigin> origins;
  for (const auto& [name, value] : *scope) {
    origins[name] = changed.count(name) > 0 ? ArgumentOrigin::kGiven : ArgumentOrigin::kAssumed;
  }
  const auto rules = plugin.arguments.find(module.type);
  if (rules != plugin.arguments.end()) {
    for (const ArgumentRule& rule : rules->second) {
      if (!rule.value.functions().empty()) {
        origins[rule.argument] = ArgumentOrigin::kRead;
        continue;
      }
      const absl::StatusOr<Value> followed = rule.value.Evaluate(*scope);
      const auto own = scope->find(rule.argument);
      if (followed.ok() && own != scope->end() && own->second == *followed) {
        origins[rule.argument] = ArgumentOrigin::kAssumed;
      }
    }
  }
  std::vector<ToldArgument> all;
  for (const auto& [name, value] : *scope) all.push_back({name, ValueString(value), origins[name]});
  return all;
}

std::map<std::string, std::string> PlaceholdersOf(const std::vector<std::string>& asked) {
  std::map<std::string, std::string> placeholders;
  for (const std::string& name : asked) placeholders[name] = absl::AsciiStrToUpper(name);
  return placeholders;
}

std::string FlagsOf(const InferredModel& model) {
  std::map<std::string, std::string> given = PlaceholdersOf(model.asked);
  given.insert(model.arguments.begin(), model.arguments.end());
  const std::string arguments = ArgumentsText(given);
  const bool has_space = absl::StrContains(arguments, ' ');
  return absl::StrCat("--model=", model.entry.variant->name, " --set=", has_space ? "'" : "", arguments,
                      has_space ? "'" : "");
}

std::string ArgumentsText(const std::map<std::string, std::string>& arguments) {
  return absl::StrJoin(arguments, ",", absl::PairFormatter("="));
}

}  // namespace modelport
