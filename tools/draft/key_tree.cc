#include "tools/draft/key_tree.h"

#include <algorithm>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/expression/identifier.h"
#include "common/module_tree/module_type.h"
#include "common/module_tree/tree_budget.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

// Bounds recursion over nodes.
constexpr int64_t kMaxParts = TreeBudget::kDepth;

// A key map compares every rename with every key.
constexpr size_t kMaxRenames = 100;

// New names leave room for a number within the 64 characters of a name.
constexpr size_t kMaxStem = 48;

absl::Status CheckKey(absl::string_view key) {
  const auto refuse = [&](absl::string_view reason) {
    return absl::InvalidArgumentError(absl::StrCat("key \"", Brief(key), "\" ", reason, "; rename it in the file"));
  };
  if (key.empty() || key.front() == '.' || key.back() == '.' || absl::StrContains(key, "..")) {
    return refuse("has an empty part between dots");
  }
  if (key.find_first_of("{}") != key.npos) return refuse("has a brace, which a pattern of a key map cannot have");
  const int64_t parts = 1 + std::count(key.begin(), key.end(), '.');
  if (parts > kMaxParts) return refuse(absl::StrCat("has ", parts, " parts between dots, more than ", kMaxParts));
  return absl::OkStatus();
}

// Nodes by their keys' dots, all names as in the file.
KeyNode MakeNodes(const std::vector<SourceKey>& keys) {
  KeyNode root;
  absl::flat_hash_map<std::pair<const KeyNode*, absl::string_view>, KeyNode*> nodes;
  for (const SourceKey& key : keys) {
    KeyNode* node = &root;
    const std::vector<absl::string_view> parts = absl::StrSplit(key.name, '.');
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      KeyNode*& child = nodes[{node, parts[i]}];
      if (child == nullptr) {
        node->children.push_back(std::make_unique<KeyNode>());
        child = node->children.back().get();
        child->name = std::string(parts[i]);
      }
      node = child;
    }
    node->tensors.push_back({std::string(parts.back()), key});
  }
  return root;
}

// The index that `name` is: decimal, without leading zeros.
absl::optional<int> AsIndex(absl::string_view name) {
  int index = 0;
  const bool is_index = std::all_of(name.begin(), name.end(), absl::ascii_isdigit) && absl::SimpleAtoi(name, &index) &&
                        index < TreeBudget::kMembersOfOne && absl::StrCat(index) == name;
  return is_index ? absl::make_optional(index) : absl::nullopt;
}

bool HoldsItemsOnly(const KeyNode& node) {
  return node.tensors.empty() && !node.children.empty() &&
         std::all_of(node.children.begin(), node.children.end(),
                     [](const auto& child) { return AsIndex(child->name).has_value(); });
}

// Whether a member of a module may have this name.
bool IsMemberName(absl::string_view name) {
  return CheckIdentifier(name).ok() && name != kTrainingName && name != "forward";
}

// A name like `name` that a member may have, or that it may have with a number.
std::string Stem(absl::string_view name) {
  std::string stem(name.substr(0, kMaxStem));
  std::replace_if(
      stem.begin(), stem.end(), [](char c) { return !absl::ascii_isalnum(c); }, '_');
  if (absl::ascii_isdigit(stem[0])) stem = absl::StrCat("_", stem);
  if (absl::StartsWith(stem, "__")) stem = absl::StrCat("m", stem);
  return IsMemberName(stem) ? stem : absl::StrCat(stem, "_");
}

// The names in one module.
class MemberNames {
 public:
  // False if a member has the name already.
  bool Take(const std::string& name) { return taken_.insert(name).second; }

  // The name of a member that cannot be called `name`.
  std::string Replace(absl::string_view name) {
    const std::string stem = Stem(name);
    std::string replacement = stem;
    for (int& count = counts_[stem]; !Take(replacement);) replacement = absl::StrCat(stem, "_", ++count + 1);
    return replacement;
  }

 private:
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int> counts_;
};

// Where a node is.
struct Place {
  std::string path;     // Its name in the tree.
  std::string pattern;  // The same with a placeholder for each index of a list.
  int indices = 0;      // The number of placeholders.

  Place Child(const KeyNode& parent, const std::string& name) const {
    if (!parent.is_list) return {JoinPath(path, name), JoinPath(pattern, name), indices};
    const std::string placeholder = indices == 0 ? "{i}" : absl::StrCat("{i", indices + 1, "}");
    return {JoinPath(path, name), JoinPath(pattern, placeholder), indices + 1};
  }
};

// Gives every member a name that it can have.
class MemberNamer {
 public:
  explicit MemberNamer(KeyTree* tree) : tree_(*tree) {}

  absl::Status Name(const Place& place, KeyNode* node) {
    node->is_list = !place.path.empty() && HoldsItemsOnly(*node);
    if (node->is_list) {
      std::sort(node->children.begin(), node->children.end(),
                [](const auto& a, const auto& b) { return *AsIndex(a->name) < *AsIndex(b->name); });
    } else {
      NameMembers(place, node);
    }
    if (tree_.renames.size() > kMaxRenames) {
      return absl::InvalidArgumentError(
          absl::StrCat("more than ", kMaxRenames,
                       " names that no member of a module can have: ", Brief(tree_.renames[0].from), ", ..."));
    }
    for (const KeyNode::Tensor& tensor : node->tensors) NoteRenamed(tensor, JoinPath(place.path, tensor.name));
    for (const auto& child : node->children) RETURN_IF_ERROR(Name(place.Child(*node, child->name), child.get()));
    return absl::OkStatus();
  }

 private:
  void NameMembers(const Place& place, KeyNode* node) {
    // Members that can keep their names do. Of a module and a tensor of one name, the module does.
    MemberNames names;
    std::vector<std::string*> modules, tensors;
    for (const auto& child : node->children) {
      if (!IsMemberName(child->name) || !names.Take(child->name)) modules.push_back(&child->name);
    }
    for (KeyNode::Tensor& tensor : node->tensors) {
      if (!IsMemberName(tensor.name) || !names.Take(tensor.name)) tensors.push_back(&tensor.name);
    }
    for (std::string* name : modules) Rename(place, ".{rest*}", &names, name);
    for (std::string* name : tensors) Rename(place, "", &names, name);
  }

  void Rename(const Place& place, absl::string_view rest, MemberNames* names, std::string* name) {
    std::string replacement = names->Replace(*name);
    // In a list, one rule serves all items if the replacement follows from the name alone.
    const bool follows = !IsMemberName(*name) && !AsIndex(*name) && replacement == Stem(*name);
    const std::string& path = follows ? place.pattern : place.path;
    KeyTree::Rename rename = {absl::StrCat(JoinPath(path, *name), rest),
                              absl::StrCat(JoinPath(path, replacement), rest)};
    if (froms_.insert(rename.from).second) tree_.renames.push_back(std::move(rename));
    *name = std::move(replacement);
  }

  void NoteRenamed(const KeyNode::Tensor& tensor, const std::string& name) {
    if (!tree_.renamed && tensor.key.name != name) tree_.renamed.emplace(tensor.key.name, name);
  }

  KeyTree& tree_;
  absl::flat_hash_set<std::string> froms_;
};

}  // namespace

absl::StatusOr<KeyTree> GroupKeys(const std::vector<SourceKey>& keys) {
  for (const SourceKey& key : keys) RETURN_IF_ERROR(CheckKey(key.name));
  KeyTree tree;
  tree.root = MakeNodes(keys);
  if (HoldsItemsOnly(tree.root)) {
    // A Sequential as the whole model: the root is a module, so it gets a list.
    auto layers = std::make_unique<KeyNode>(std::move(tree.root));
    layers->name = "layers";
    tree.root = KeyNode();
    tree.root.children.push_back(std::move(layers));
    tree.renames.push_back({"{i}.{rest*}", "layers.{i}.{rest*}"});
  }
  RETURN_IF_ERROR(MemberNamer(&tree).Name({}, &tree.root));
  return tree;
}

}  // namespace modelport
