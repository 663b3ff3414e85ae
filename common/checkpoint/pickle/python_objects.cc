#include "common/checkpoint/pickle/python_objects.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace modelport::pickle {
namespace {

// Python 2 pickles an OrderedDict as a call with a list of [key, value] lists.
void AppendPairs(const Value& pairs, std::vector<Entry>* entries) {
  const std::vector<const Value*>* items = SequenceItems(pairs);
  if (items == nullptr) return;
  for (const Value* item : *items) {
    const std::vector<const Value*>* pair = SequenceItems(*item);
    if (pair != nullptr && pair->size() == 2) entries->emplace_back((*pair)[0], (*pair)[1]);
  }
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
  return object != nullptr && (IsGlobal(*object->callable, "collections", "OrderedDict") ||
                               IsGlobal(*object->callable, "collections", "defaultdict"));
}

std::vector<Entry> DictEntries(const Value& value) {
  if (!IsDict(value)) return {};
  if (const Dict* dict = value.As<Dict>()) return dict->entries;
  const Object& object = *value.As<Object>();
  std::vector<Entry> entries;
  const Value* pairs = Argument(object, 0);
  if (pairs != nullptr) AppendPairs(*pairs, &entries);
  entries.insert(entries.end(), object.entries.begin(), object.entries.end());
  return entries;
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

std::string Describe(const Value& value) {
  if (value.As<None>()) return "None";
  if (value.As<Tuple>()) return "a tuple";
  if (value.As<List>()) return "a list";
  if (value.As<String>()) return "a string";
  if (IsDict(value)) return "a dict";
  const Object* object = value.As<Object>();
  const Global* global = object != nullptr ? ClassOf(*object)->As<Global>() : value.As<Global>();
  if (global == nullptr) return object != nullptr ? "an object" : "a plain value";
  // The name is arbitrary bytes.
  const std::string name = absl::CHexEscape(absl::StrCat(global->module, ".", global->name).substr(0, 200));
  return object != nullptr ? absl::StrCat("an object of class ", name) : name;
}

}  // namespace modelport::pickle
