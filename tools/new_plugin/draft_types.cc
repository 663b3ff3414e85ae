#include "tools/new_plugin/draft_types.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/expression/identifier.h"
#include "common/tensor/dtype.h"
#include "tools/draft/key_tree.h"
#include "tools/new_plugin/layer_call.h"

namespace modelport {
namespace {

// What a modules file has for a child or an item: a call of a module type or a list.
struct DraftedEntry {
  SizedText call = {};    // Of no text for a list.
  std::string note = {};  // A comment behind the call.
  // Of a list: its items, of which there is at least one, and how often each is repeated.
  std::vector<std::pair<DraftedEntry, int>> items = {};

  // Adds `item`, `count` times, to the list: one more repetition if it equals the last one.
  void AddItem(DraftedEntry item, int count);

  friend bool operator==(const DraftedEntry&, const DraftedEntry&) = default;
};

// The children that the comment in a forward names; a block of text has a limit.
constexpr size_t kShownChildren = 50;

// A field of a map. YAML reads the plain word null as nothing.
std::string Field(absl::string_view name) {
  return absl::EqualsIgnoreCase(name, "null") ? absl::StrCat("\"", name, "\":") : absl::StrCat(name, ":");
}

bool IsBuffer(const KeyNode::Tensor& tensor) {
  return !IsFloating(tensor.key.tensor->dtype) || tensor.name == "running_mean" || tensor.name == "running_var";
}

// Adds `entry` behind "NAME:" or "-" in a line that is indented by `indent`.
void AddEntry(const DraftedEntry& entry, const std::string& indent, SizedText* yaml) {
  if (entry.items.empty()) {
    yaml->Add(" ").Add(entry.call).Add(entry.note.empty() ? "" : "  # ").Add(entry.note).Add("\n");
    return;
  }
  yaml->Add("\n");
  for (const auto& [item, repeat] : entry.items) {
    yaml->Add(absl::StrCat(indent, "  -"));
    if (repeat > 1) yaml->Add(absl::StrCat(" repeat: ", repeat, "\n", indent, "   "));
    if (repeat > 1 || !item.items.empty()) yaml->Add(" module:");
    AddEntry(item, indent + "    ", yaml);
  }
}

// Adds the tensors of `node` that are buffers, or those that are parameters.
void AddTensors(const KeyNode& node, bool are_buffers, SizedText* yaml) {
  absl::string_view head = are_buffers ? "    buffers:\n" : "    parameters:\n";
  for (const KeyNode::Tensor& tensor : node.tensors) {
    if (IsBuffer(tensor) != are_buffers) continue;
    const DType dtype = tensor.key.tensor->dtype;
    yaml->Add(head).Add("      ").Add(Field(tensor.name)).Add(IsFloating(dtype) ? " [" : " {shape: [");
    head = "";
    absl::string_view separator = "";
    for (const int64_t size : tensor.key.tensor->shape) {
      yaml->Add(separator).AddSize("size", size);
      separator = ", ";
    }
    yaml->Add(IsFloating(dtype) ? "]\n" : absl::StrCat("], dtype: ", DTypeName(dtype), "}\n"));
  }
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

void DraftedEntry::AddItem(DraftedEntry item, int count) {
  if (!items.empty() && items.back().first == item) {
    items.back().second += count;
  } else {
    items.emplace_back(std::move(item), count);
  }
}

// What stands below the signature of a module type in a modules file: the tensors of `module`, its children as
// `draft_child` drafts each, and a forward that returns its input, whose comment names the children.
SizedText ModuleYaml(const KeyNode& module, absl::FunctionRef<DraftedEntry(const KeyNode&)> draft_child) {
  SizedText yaml;
  AddTensors(module, /*are_buffers=*/false, &yaml);
  AddTensors(module, /*are_buffers=*/true, &yaml);
  if (!module.children.empty()) yaml.Add("    children:\n");
  for (const auto& child : module.children) {
    yaml.Add("      ").Add(Field(child->name));
    AddEntry(draft_child(*child), "      ", &yaml);
  }
  return yaml.Add(DraftForward(module));
}

// Longer names are cut, so that a number fits behind them.
constexpr size_t kMaxStem = 48;

// More arguments are no help to a reader; types with more differences are drafted one by one.
constexpr size_t kMaxArguments = 8;

// "block" of "blocks" and "layer" of "layer1": a name for one item.
absl::string_view Singular(absl::string_view name) {
  const absl::string_view stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
  if (stem.size() < name.size() && !stem.empty()) return stem;
  const bool is_plural = name.size() > 2 && absl::EndsWith(name, "s") && !absl::EndsWith(name, "ss");
  return is_plural ? name.substr(0, name.size() - 1) : name;
}

// A module that gets a type of its own.
struct TypedModule {
  const KeyNode* node;
  std::string name;     // What the type is called if that is free.
  std::string outer;    // The name of the type around it, "" for the root and its children.
  SizedText body = {};  // What stands below the signature.
};

class TypeDrafter {
 public:
  TypeDrafter(const KeyNode& root, const std::vector<std::string>& taken)
      : root_(root), taken_(taken.begin(), taken.end()) {}

  DraftedTypes Draft(absl::string_view name) {
    Collect(root_, name, "");
    // A body has the calls of the types of lower levels.
    for (std::vector<TypedModule>& level : levels_) DraftLevel(&level);
    drafted_.root = types_[uses_[&root_].type].name;
    Print(root_);
    return std::move(drafted_);
  }

 private:
  struct Type {
    std::string name;
    std::string yaml;
    bool is_printed = false;
  };
  // The type of a module, and its arguments.
  struct Use {
    size_t type;
    std::vector<SizedText::Size> arguments;
  };

  // Sorts the modules at and below `node` that get types into levels_. Returns how many levels they take.
  size_t Collect(const KeyNode& node, absl::string_view name, absl::string_view outer) {
    if (&node != &root_ && !node.is_list && FindLayer(node)) return 0;
    std::string type_name = node.is_list ? "" : TypeNameOf(name);
    const absl::string_view next_outer = node.is_list ? outer : &node == &root_ ? "" : absl::string_view(type_name);
    size_t below = 0;
    for (const auto& child : node.children) {
      below = std::max(below, Collect(*child, node.is_list ? Singular(name) : child->name, next_outer));
    }
    if (node.is_list) return below;
    if (levels_.size() == below) levels_.emplace_back();
    levels_[below].push_back({&node, std::move(type_name), std::string(outer)});
    return below + 1;
  }

  // Drafts the types of modules that do not contain each other. Those that differ in sizes only share a type.
  void DraftLevel(std::vector<TypedModule>* level) {
    std::vector<std::vector<const TypedModule*>> groups;
    absl::flat_hash_map<absl::string_view, size_t> group_of;
    for (TypedModule& module : *level) {
      module.body = ModuleYaml(*module.node, [this](const KeyNode& child) { return DraftEntry(child); });
      const auto [group, is_new] = group_of.emplace(module.body.text, groups.size());
      if (is_new) groups.emplace_back();
      groups[group->second].push_back(&module);
    }
    for (const auto& group : groups) DraftGroup(group);
  }

  // Sizes that differ among the modules of `group` become arguments; those that are equal in each module become one.
  void DraftGroup(const std::vector<const TypedModule*>& group) {
    const std::vector<SizedText::Size>& first = group[0]->body.sizes;
    std::vector<std::string> fillings;
    std::vector<size_t> arguments;  // The first size that each stands for.
    std::map<std::vector<int64_t>, std::string> names;
    std::set<std::string> taken;
    for (size_t i = 0; i < first.size(); ++i) {
      std::vector<int64_t> values;
      for (const TypedModule* module : group) values.push_back(module->body.sizes[i].value);
      if (std::count(values.begin(), values.end(), values[0]) == static_cast<int64_t>(values.size())) {
        fillings.push_back(absl::StrCat(values[0]));
        continue;
      }
      const auto [name, is_new] = names.emplace(std::move(values), "");
      if (is_new) {
        // Sizes of a type within have numbers of their own: the next may be taken, too.
        std::string unique = first[i].name;
        for (int number = 2; !taken.insert(unique).second; ++number) {
          unique = absl::StrCat(first[i].name, "_", number);
        }
        name->second = std::move(unique);
        arguments.push_back(i);
      }
      fillings.push_back(name->second);
    }
    if (arguments.size() > kMaxArguments) return DraftOneByOne(group);
    AddType(group, fillings, arguments);
  }

  // Drafts a type for each set of equal modules of `group`.
  void DraftOneByOne(const std::vector<const TypedModule*>& group) {
    std::map<std::vector<int64_t>, std::vector<const TypedModule*>> equal;
    for (const TypedModule* module : group) {
      std::vector<int64_t> values;
      for (const SizedText::Size& size : module->body.sizes) values.push_back(size.value);
      equal[std::move(values)].push_back(module);
    }
    for (const auto& [values, modules] : equal) {
      std::vector<std::string> fillings;
      for (const int64_t value : values) fillings.push_back(absl::StrCat(value));
      AddType(modules, fillings, {});
    }
  }

  void AddType(const std::vector<const TypedModule*>& modules, const std::vector<std::string>& fillings,
               const std::vector<size_t>& arguments) {
    Type type{UniqueName(modules[0]->name, modules[0]->outer), ""};
    std::vector<std::string> names;
    for (const size_t argument : arguments) names.push_back(fillings[argument]);
    type.yaml =
        absl::StrCat("  ", type.name, "(", absl::StrJoin(names, ", "), "):\n", modules[0]->body.Filled(fillings));
    for (const TypedModule* module : modules) {
      Use& use = uses_[module->node];
      use.type = types_.size();
      for (const size_t argument : arguments) {
        use.arguments.push_back({fillings[argument], module->body.sizes[argument].value});
      }
    }
    types_.push_back(std::move(type));
  }

  DraftedEntry DraftEntry(const KeyNode& node) {
    if (node.is_list) return DraftList(node);
    if (const auto use = uses_.find(&node); use != uses_.end()) return {.call = CallOf(use->second)};
    absl::optional<LayerCall> layer = FindLayer(node);
    drafted_.lacks_counters |= layer->lacks_counter;
    return {.call = std::move(layer->call), .note = std::move(layer->note)};
  }

  DraftedEntry DraftList(const KeyNode& node) {
    DraftedEntry list;
    int next = 0;
    for (const auto& item : node.children) {
      int index = 0;
      if (absl::SimpleAtoi(item->name, &index) && index > next) {
        DraftedEntry absent = {.call = {.text = "Identity()"}, .note = "not in the file: a layer without tensors?"};
        list.AddItem(std::move(absent), index - next);
      }
      list.AddItem(DraftEntry(*item), 1);
      next = index + 1;
    }
    return list;
  }

  SizedText CallOf(const Use& use) const {
    SizedText call;
    call.Add(types_[use.type].name).Add("(");
    for (size_t i = 0; i < use.arguments.size(); ++i) {
      const auto& [name, value] = use.arguments[i];
      call.Add(i == 0 ? "" : ", ").Add(name).Add("=").AddSize(name, value);
    }
    return call.Add(")");
  }

  // `name`, else with `outer` in front of it, else with a number behind it.
  std::string UniqueName(const std::string& name, absl::string_view outer) {
    const auto take = [&](const std::string& candidate) {
      return CheckIdentifier(candidate).ok() && taken_.insert(candidate).second;
    };
    if (take(name)) return name;
    const std::string stem = absl::StrCat(outer, name).substr(0, kMaxStem);
    std::string unique = stem;
    for (int& count = counts_[stem]; !take(unique);) unique = absl::StrCat(stem, ++count + 1);
    return unique;
  }

  // Prints the types of the modules at and below `node`, each behind those that it calls.
  void Print(const KeyNode& node) {
    for (const auto& child : node.children) Print(*child);
    const auto use = uses_.find(&node);
    if (use == uses_.end() || types_[use->second.type].is_printed) return;
    Type& type = types_[use->second.type];
    type.is_printed = true;
    absl::StrAppend(&drafted_.yaml, drafted_.yaml.empty() ? "" : "\n", type.yaml);
    ++drafted_.count;
  }

  const KeyNode& root_;
  std::vector<std::vector<TypedModule>> levels_;
  std::vector<Type> types_;
  absl::flat_hash_map<const KeyNode*, Use> uses_;
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int> counts_;
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
  return TypeDrafter(root, taken).Draft(root_name);
}

}  // namespace modelport
