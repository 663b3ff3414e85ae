#include "common/text/nearest.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr size_t kNearest = 3;

// Bounds of the search, since a file may have many names and long ones.
constexpr size_t kMaxSize = 128;
constexpr size_t kMaxCandidates = 4096;

// The Levenshtein distance if it is at most `limit`. Cells of the table that are more than `limit` away from the
// diagonal exceed the limit, so they are not computed.
absl::optional<size_t> EditDistance(absl::string_view a, absl::string_view b, size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return absl::nullopt;
  const size_t far = limit + 1;
  std::vector<size_t> row(b.size() + 1, far);
  for (size_t j = 0; j <= std::min(b.size(), limit); ++j) row[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    const size_t begin = i > limit ? i - limit : 0, end = std::min(b.size(), i + limit + 1);
    size_t diagonal = std::exchange(row[begin], begin == 0 ? i + 1 : far);
    size_t smallest = row[begin];
    for (size_t j = begin; j < end; ++j) {
      const size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1, far});
      smallest = std::min(smallest, row[j + 1]);
    }
    if (smallest > limit) return absl::nullopt;
  }
  return row.back() > limit ? absl::nullopt : absl::make_optional(row.back());
}

// The distance of `candidate` from `name`; nullopt if it is not near.
absl::optional<size_t> NearDistance(absl::string_view name, absl::string_view candidate) {
  if (name.size() > 2 && absl::StrContains(candidate, name)) return candidate.size() - name.size();
  const absl::optional<size_t> distance = EditDistance(name, candidate, 1 + name.size() / 4);
  const bool keeps_something = distance && *distance < name.size();
  return keeps_something ? distance : absl::nullopt;
}

}  // namespace

std::vector<std::string> Nearest(absl::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > kMaxSize) return {};
  std::vector<std::pair<size_t, const std::string*>> near;
  for (size_t i = 0; i < std::min(candidates.size(), kMaxCandidates); ++i) {
    if (candidates[i].size() > kMaxSize) continue;
    const absl::optional<size_t> distance = NearDistance(name, candidates[i]);
    if (distance) near.emplace_back(*distance, &candidates[i]);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.size() > kNearest) near.resize(kNearest);
  std::vector<std::string> names;
  for (const auto& [distance, candidate] : near) names.push_back(Printable(*candidate));
  return names;
}

std::string NearestHint(absl::string_view name, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  const std::vector<std::string> near = Nearest(name, candidates);
  if (near.empty()) return absl::StrCat("; known: ", FirstFew(candidates));
  return absl::StrCat("; nearest: ", absl::StrJoin(near, ", "));
}

}  // namespace modelport
