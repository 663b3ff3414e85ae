#include "tools/draft/draft_key_map.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace modelport {
namespace {

// `key` with a placeholder for each number between dots.
std::string Pattern(absl::string_view key) {
  std::vector<std::string> parts = absl::StrSplit(key, '.');
  int count = 0;
  for (std::string& part : parts) {
    if (!std::all_of(part.begin(), part.end(), absl::ascii_isdigit)) continue;
    part = ++count == 1 ? "{index}" : absl::StrCat("{index", count, "}");
  }
  return absl::StrJoin(parts, ".");
}

void AppendList(absl::string_view field, const std::vector<std::string>& items, std::string* yaml) {
  if (items.empty()) return;
  absl::StrAppend(yaml, "    ", field, ":\n");
  for (const std::string& item : items) absl::StrAppend(yaml, "      - ", YamlQuoted(item), "\n");
}

// The rules of the layout that the file has.
void AppendRules(const DraftedRules& rules, const KeyTree& tree, std::string* yaml) {
  AppendList("unwrap", rules.unwrap, yaml);
  AppendList("strip", rules.strip, yaml);
  if (!tree.renames.empty()) absl::StrAppend(yaml, "    renames:\n");
  for (const auto& [from, to] : tree.renames) {
    absl::StrAppend(yaml, "      - {from: ", YamlQuoted(from), ", to: ", YamlQuoted(to), "}\n");
  }
  if (rules.lacks_counters) {
    absl::StrAppend(yaml, "    missing:\n      - {key: \"{path*}.num_batches_tracked\", ",
                    "reason: the file lacks it; it counts training's batches and is not used}\n");
  }
  if (!rules.empty.empty()) absl::StrAppend(yaml, "    unused:\n");
  for (const std::string& key : rules.empty) {
    absl::StrAppend(yaml, "      - {key: ", YamlQuoted(key), ", reason: a tensor without elements}\n");
  }
}

}  // namespace

std::string YamlQuoted(absl::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

std::string KeyMapText(const DraftedRules& rules, const KeyTree& tree) {
  std::string yaml =
      "# DRAFT: how the checkpoint names the tensors. A layout is one published naming of the keys. A file has it if "
      "each\n"
      "# pattern matches a key: {index} stands for one part between dots. docs/plugins.md lists all rules.\n"
      "layouts:\n";
  if (!tree.renamed) {
    absl::StrAppend(&yaml, "  original:\n");
    std::vector<std::string> patterns;
    for (const std::string& key : rules.keys) {
      std::string pattern = Pattern(key);
      if (std::find(patterns.begin(), patterns.end(), pattern) == patterns.end())
        patterns.push_back(std::move(pattern));
    }
    AppendList("recognise", patterns, &yaml);
  } else {
    absl::StrAppend(&yaml, "  # The names in modules.yaml, which seeded weights have.\n  original:\n");
    AppendList("recognise", {tree.renamed->second}, &yaml);
    absl::StrAppend(&yaml,
                    "\n  # The names in the file, of which no member of a module can have some.\n  published:\n");
    AppendList("recognise", {tree.renamed->first}, &yaml);
  }
  AppendRules(rules, tree, &yaml);
  return yaml;
}

}  // namespace modelport
