#include "common/text/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace modelport {
namespace {

constexpr size_t kNearest = 3;
constexpr size_t kFew = 5;

// Levenshtein's distance.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> Nearest(absl::string_view name, const std::vector<std::string>& candidates) {
  const size_t few_edits = 1 + name.size() / 4;
  std::vector<std::pair<size_t, const std::string*>> near;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(name, candidate);
    const bool keeps_something = distance < name.size();
    const bool contained = name.size() > 2 && absl::StrContains(candidate, name);
    if ((distance <= few_edits && keeps_something) || contained) near.emplace_back(distance, &candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.size() > kNearest) near.resize(kNearest);
  std::vector<std::string> names;
  for (const auto& [distance, candidate] : near) names.push_back(*candidate);
  return names;
}

std::string NearestHint(absl::string_view name, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  const std::vector<std::string> near = Nearest(name, candidates);
  if (near.empty()) return absl::StrCat("; known: ", FirstFew(candidates));
  return absl::StrCat("; nearest: ", absl::StrJoin(near, ", "));
}

std::string FirstFew(const std::vector<std::string>& names) {
  if (names.size() <= kFew) return absl::StrJoin(names, ", ");
  const std::string few = absl::StrJoin(names.begin(), names.begin() + kFew, ", ");
  return absl::StrCat(few, ", +", names.size() - kFew, " more");
}

std::string DescribeModules(const std::vector<std::string>& paths) {
  if (paths.size() == 1) return paths.front().empty() ? "the root module" : absl::StrCat("module ", paths.front());
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(path.empty() ? "the root" : path);
  return absl::StrCat(names.size(), " modules: ", FirstFew(names));
}

}  // namespace modelport
