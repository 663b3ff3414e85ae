#include "tools/draft/key_groups.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace modelport {
namespace {

constexpr absl::string_view kPlaceholders = "ijklmn";
constexpr size_t kMaxDigits = 9;
constexpr size_t kMaxName = 1000;  // The parts of a longer name can take 30 times its memory.

bool IsIndex(absl::string_view part) {
  return part.size() <= kMaxDigits && std::all_of(part.begin(), part.end(), absl::ascii_isdigit) &&
         (part == "0" || part[0] != '0');
}

// True if a pattern set can have the part as it is.
bool IsPlain(absl::string_view part) {
  const auto is_plain = [](char c) { return absl::ascii_isgraph(c) && c != '{' && c != '}' && c != ','; };
  return !part.empty() && std::all_of(part.begin(), part.end(), is_plain);
}

}  // namespace

std::vector<KeyGroup> GroupKeys(const std::vector<NamedShape>& tensors) {
  std::vector<KeyGroup> groups;
  absl::flat_hash_map<std::string, size_t> known;
  for (const NamedShape& tensor : tensors) {
    if (tensor.name.size() > kMaxName) continue;
    std::vector<std::string> parts = absl::StrSplit(tensor.name, '.');
    if (!std::all_of(parts.begin(), parts.end(), IsPlain)) continue;
    std::vector<int64_t> indices;
    for (std::string& part : parts) {
      int64_t index = 0;
      if (indices.size() == kPlaceholders.size() || !IsIndex(part) || !absl::SimpleAtoi(part, &index)) continue;
      part = absl::StrCat("{", kPlaceholders.substr(indices.size(), 1), "}");
      indices.push_back(index);
    }
    std::string pattern = absl::StrJoin(parts, ".");
    const auto [place, is_new] = known.emplace(pattern, groups.size());
    if (is_new) groups.push_back({std::move(pattern), {}});
    groups[place->second].members.emplace(std::move(indices), *tensor.shape);
  }
  return groups;
}

}  // namespace modelport
