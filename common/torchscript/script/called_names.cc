#include "common/torchscript/script/called_names.h"

#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"

namespace modelport {
namespace {

using Names = absl::flat_hash_set<absl::string_view>;

bool IsOfWord(char c) { return absl::ascii_isalnum(c) || c == '_'; }

std::vector<absl::string_view> Words(absl::string_view text) {
  std::vector<absl::string_view> words;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    while (i < text.size() && IsOfWord(text[i])) ++i;
    if (i > begin) words.push_back(text.substr(begin, i - begin));
    if (i < text.size()) ++i;
  }
  return words;
}

// Nodes of one type have one text.
void AddMethods(const ModuleNode& node, absl::flat_hash_set<const ModuleType*>& seen, Names& names) {
  if (!node.is_list() && seen.insert(node.type).second) {
    for (const absl::string_view word : Words(node.type->methods.text)) names.insert(word);
  }
  for (const ModuleNode::Child& child : node.children) AddMethods(*child.node, seen, names);
}

// Whether one of the functions in the text with these words has one of the names.
bool Defines(const std::vector<absl::string_view>& words, const Names& names) {
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "def" && names.contains(words[i + 1])) return true;
  }
  return false;
}

}  // namespace

Names CalledNames(const ModuleTree& tree) {
  Names names;
  absl::flat_hash_set<const ModuleType*> seen;
  AddMethods(tree.root, seen, names);
  // A function calls functions before it only.
  const std::vector<SourceText>& functions = tree.library->functions();
  for (auto block = functions.rbegin(); block != functions.rend(); ++block) {
    const std::vector<absl::string_view> words = Words(block->text);
    if (Defines(words, names)) names.insert(words.begin(), words.end());
  }
  return names;
}

}  // namespace modelport
