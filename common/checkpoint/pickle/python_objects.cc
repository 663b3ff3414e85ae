#include "common/checkpoint/pickle/python_objects.h"

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport::pickle {
namespace {

using EntryVisitor = absl::FunctionRef<absl::Status(const Value& key, const Value& value)>;

// The index of the argument that a dictionary of this class takes its first entries from; nullopt for other classes.
absl::optional<size_t> SourceIndex(const Value& callable) {
  if (IsGlobal(callable, "collections", "OrderedDict")) return 0;
  if (IsGlobal(callable, "collections", "defaultdict")) return 1;  // After the factory of default values.
  return absl::nullopt;
}

absl::Status VisitEntries(const std::vector<Entry>& entries, EntryVisitor visit) {
  for (const auto& [key, value] : entries) RETURN_IF_ERROR(visit(*key, *value));
  return absl::OkStatus();
}

// Python 2 pickles an OrderedDict as a call with a list of [key, value] lists.
absl::Status VisitPairs(const std::vector<const Value*>& pairs, EntryVisitor visit) {
  for (const Value* item : pairs) {
    const std::vector<const Value*>* pair = SequenceItems(*item);
    if (pair == nullptr || pair->size() != 2) return absl::DataLossError("a dict is made from items that are no pairs");
    RETURN_IF_ERROR(visit(*(*pair)[0], *(*pair)[1]));
  }
  return absl::OkStatus();
}

// The class of an object. Older protocols make objects through helpers, whose first argument is the class.
const Value* ClassOf(const Object& object) {
  const Global* global = object.callable->As<Global>();
  const bool helper = global != nullptr && (global->module == "copyreg" || global->module == "copy_reg");
  const Value* first = Argument(object, 0);
  return helper && first != nullptr ? first : object.callable;
}

}  // namespace

bool IsGlobal(const Value& value, absl::string_view module, absl::string_view name) {
  const Global* global = value.As<Global>();
  return global != nullptr && global->module == module && global->name == name;
}

const Value* Argument(const Object& object, size_t index) {
  const std::vector<const Value*>& args = object.args->As<Tuple>()->items;
  return index < args.size() ? args[index] : nullptr;
}

bool IsDict(const Value& value) {
  if (value.As<Dict>() != nullptr) return true;
  const Object* object = value.As<Object>();
  const absl::optional<size_t> source = object != nullptr ? SourceIndex(*object->callable) : absl::nullopt;
  if (!source || object->args->As<Tuple>()->items.size() > *source + 1) return false;
  const Value* entries = Argument(*object, *source);
  return entries == nullptr || entries->As<Dict>() != nullptr || SequenceItems(*entries) != nullptr;
}

absl::Status ForEachEntry(const Value& value, EntryVisitor visit) {
  if (!IsDict(value)) return absl::OkStatus();
  if (const Dict* dict = value.As<Dict>()) return VisitEntries(dict->entries, visit);
  const Object& object = *value.As<Object>();
  if (const Value* source = Argument(object, *SourceIndex(*object.callable))) {
    const Dict* dict = source->As<Dict>();
    RETURN_IF_ERROR(dict != nullptr ? VisitEntries(dict->entries, visit) : VisitPairs(*SequenceItems(*source), visit));
  }
  return VisitEntries(object.entries, visit);
}

const std::vector<const Value*>* SequenceItems(const Value& value) {
  if (const Tuple* tuple = value.As<Tuple>()) return &tuple->items;
  if (const List* list = value.As<List>()) return &list->items;
  return nullptr;
}

absl::optional<std::vector<int64_t>> Ints(const Value& value, size_t max_size) {
  const Object* object = value.As<Object>();
  const Value* sequence = &value;
  if (object != nullptr && IsGlobal(*object->callable, "torch", "Size")) sequence = Argument(*object, 0);
  const std::vector<const Value*>* items = sequence != nullptr ? SequenceItems(*sequence) : nullptr;
  if (items == nullptr || items->size() > max_size) return absl::nullopt;
  std::vector<int64_t> ints;
  for (const Value* item : *items) {
    const int64_t* number = item->As<int64_t>();
    if (number == nullptr) return absl::nullopt;
    ints.push_back(*number);
  }
  return ints;
}

bool IsBare(const Value& value) {
  if (const auto* items = SequenceItems(value)) return items->empty();
  if (const Dict* dict = value.As<Dict>()) return dict->entries.empty();
  const Object* object = value.As<Object>();
  if (object == nullptr) return value.As<PersistentId>() == nullptr;
  return object->callable->As<Global>() != nullptr && object->args->As<Tuple>()->items.empty() &&
         object->entries.empty() && object->given == nullptr;
}

std::string Describe(const Value& value) {
  if (value.As<None>()) return "None";
  if (value.As<Tuple>()) return "a tuple";
  if (value.As<List>()) return "a list";
  if (value.As<String>()) return "a string";
  if (value.As<PersistentId>()) return "stored data";
  if (IsDict(value)) return "a dict";
  const Object* object = value.As<Object>();
  const Global* global = object != nullptr ? ClassOf(*object)->As<Global>() : value.As<Global>();
  if (global == nullptr) return object != nullptr ? "an object" : "a plain value";
  const std::string name = absl::StrCat(Brief(global->module), ".", Brief(global->name));
  return object != nullptr ? absl::StrCat("an object of class ", name) : name;
}

}  // namespace modelport::pickle
