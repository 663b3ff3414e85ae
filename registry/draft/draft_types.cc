#include "registry/draft/draft_types.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/module_tree/identifier.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "registry/draft/layer_call.h"

namespace modelport {
namespace {

// Longer names are cut, so that a number fits behind them.
constexpr size_t kMaxStem = 48;

// The children that the comment in a forward names; a block of text has a limit.
constexpr size_t kShownChildren = 50;

// A MODULE of the YAML: a call or a list.
struct Entry {
  std::string call = {};  // Empty for a list.
  std::string note = {};  // A comment behind the call.
  // Of a list: its items and how often each is repeated.
  std::vector<std::pair<Entry, int>> items = {};

  friend bool operator==(const Entry&, const Entry&) = default;
};

// Adds `count` times `item`.
void AddItem(Entry item, int count, Entry* list) {
  if (!list->items.empty() && list->items.back().first == item) {
    list->items.back().second += count;
  } else {
    list->items.emplace_back(std::move(item), count);
  }
}

// Appends `entry` behind "NAME:" or "-" in a line that is indented by `indent`.
void AppendEntry(const Entry& entry, const std::string& indent, std::string* yaml) {
  if (!entry.call.empty()) {
    absl::StrAppend(yaml, " ", entry.call, entry.note.empty() ? "" : "  # ", entry.note, "\n");
    return;
  }
  absl::StrAppend(yaml, "\n");
  for (const auto& [item, repeat] : entry.items) {
    absl::StrAppend(yaml, indent, "  -");
    if (repeat > 1 || item.call.empty()) {
      if (repeat > 1) absl::StrAppend(yaml, " repeat: ", repeat, "\n", indent, "   ");
      absl::StrAppend(yaml, " module:");
    }
    AppendEntry(item, indent + "    ", yaml);
  }
}

// A field of a map. YAML reads the plain word null as nothing.
std::string Field(absl::string_view name) {
  return absl::EqualsIgnoreCase(name, "null") ? absl::StrCat("\"", name, "\":") : absl::StrCat(name, ":");
}

// "block" of "blocks", a name for one item.
absl::string_view Singular(absl::string_view name) {
  const bool is_plural = name.size() > 2 && absl::EndsWith(name, "s") && !absl::EndsWith(name, "ss");
  return is_plural ? name.substr(0, name.size() - 1) : name;
}

bool IsBuffer(const KeyNode::Tensor& tensor) {
  return !IsFloating(tensor.key.tensor->dtype) || tensor.name == "running_mean" || tensor.name == "running_var";
}

// The tensors of `node` that are buffers, or those that are parameters.
std::string TensorFields(const KeyNode& node, bool are_buffers) {
  std::string fields;
  for (const KeyNode::Tensor& tensor : node.tensors) {
    if (IsBuffer(tensor) != are_buffers) continue;
    const DType dtype = tensor.key.tensor->dtype;
    const std::string shape = ShapeString(tensor.key.tensor->shape);
    absl::StrAppend(&fields, "      ", Field(tensor.name), " ");
    if (IsFloating(dtype)) {
      absl::StrAppend(&fields, shape, "\n");
    } else {
      absl::StrAppend(&fields, "{shape: ", shape, ", dtype: ", DTypeName(dtype), "}\n");
    }
  }
  return fields.empty() ? "" : absl::StrCat("    ", are_buffers ? "buffers" : "parameters", ":\n", fields);
}

// A forward that computes nothing and says so.
std::string DraftForward(const KeyNode& node) {
  std::string text =
      "    methods: |\n"
      "      def forward(self, x: Tensor) -> Tensor:\n"
      "        # DRAFT: returns its input. Write the forward of upstream's class";
  absl::StrAppend(&text, node.children.empty() ? ".\n" : "; it has, in the order of the file:\n");
  for (size_t i = 0; i < std::min(node.children.size(), kShownChildren); ++i) {
    absl::StrAppend(&text, "        #   x = self.", node.children[i]->name, "(x)\n");
  }
  if (node.children.size() > kShownChildren) {
    absl::StrAppend(&text, "        #   and ", node.children.size() - kShownChildren, " more\n");
  }
  return absl::StrCat(text, "        return x\n");
}

class TypeDrafter {
 public:
  explicit TypeDrafter(const std::vector<std::string>& taken) : taken_(taken.begin(), taken.end()) {}

  // The call of the type for `module`, which is not a list. `name` is what the type is called if that is free, `outer` the
  // name of the type around it.
  std::string DraftType(const KeyNode& module, absl::string_view name, absl::string_view outer) {
    std::string body = absl::StrCat(TensorFields(module, /*are_buffers=*/false), TensorFields(module, /*are_buffers=*/true));
    if (!module.children.empty()) absl::StrAppend(&body, "    children:\n");
    for (const auto& child : module.children) {
      absl::StrAppend(&body, "      ", Field(child->name));
      AppendEntry(DraftEntry(*child, child->name, name), "      ", &body);
    }
    absl::StrAppend(&body, DraftForward(module));
    const auto [type, is_new] = types_.emplace(std::move(body), "");
    if (!is_new) return type->second;
    const std::string unique = UniqueName(name, outer);
    type->second = absl::StrCat(unique, "()");
    absl::StrAppend(&drafted_.yaml, drafted_.yaml.empty() ? "" : "\n", "  ", type->second, ":\n", type->first);
    ++drafted_.count;
    return unique + "()";
  }

  DraftedTypes Finish(std::string root) {
    drafted_.root = std::move(root);
    return std::move(drafted_);
  }

 private:
  // `name` is the module's own or, of an item, that of the list.
  Entry DraftEntry(const KeyNode& node, absl::string_view name, absl::string_view outer) {
    if (node.is_list) {
      Entry list;
      int next = 0;
      for (const auto& item : node.children) {
        int index = 0;
        if (absl::SimpleAtoi(item->name, &index) && index > next) {
          AddItem({.call = "Identity()", .note = "not in the file: a layer without tensors?"}, index - next, &list);
        }
        AddItem(DraftEntry(*item, Singular(name), outer), 1, &list);
        next = index + 1;
      }
      return list;
    }
    absl::optional<LayerCall> layer = FindLayer(node);
    if (!layer) return {.call = DraftType(node, TypeNameOf(name), outer)};
    drafted_.lacks_counters |= layer->lacks_counter;
    return {.call = std::move(layer->call), .note = std::move(layer->note)};
  }

  // `name`, else with `outer` in front of it, else with a number behind it.
  std::string UniqueName(absl::string_view name, absl::string_view outer) {
    const auto take = [&](const std::string& candidate) {
      return CheckIdentifier(candidate).ok() && taken_.insert(candidate).second;
    };
    std::string unique(name);
    if (take(unique)) return unique;
    const std::string stem = absl::StrCat(outer, name).substr(0, kMaxStem);
    unique = stem;
    for (int& count = counts_[stem]; !take(unique);) unique = absl::StrCat(stem, ++count + 1);
    return unique;
  }

  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int> counts_;
  absl::flat_hash_map<std::string, std::string> types_;  // Calls by what stands below the signature.
  DraftedTypes drafted_;
};

}  // namespace

std::string TypeNameOf(absl::string_view name) {
  std::string type;
  bool begins = true;
  for (const char c : name) {
    if (absl::ascii_isalnum(c)) type.push_back(begins ? absl::ascii_toupper(c) : c);
    begins = !absl::ascii_isalnum(c);
  }
  if (type.empty() || absl::ascii_isdigit(type[0])) type = absl::StrCat("Module", type);
  return type.substr(0, kMaxStem);
}

DraftedTypes DraftTypes(const KeyNode& root, const std::vector<std::string>& taken, absl::string_view root_name) {
  TypeDrafter drafter(taken);
  std::string call = drafter.DraftType(root, root_name, "");
  return drafter.Finish(call.substr(0, call.size() - 2));
}

}  // namespace modelport
