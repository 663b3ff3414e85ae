#include "common/text/collapse_indices.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace modelport {
namespace {

constexpr int kPasses = 4;          // Each collapses one level of nested layers.
constexpr size_t kLookAhead = 16;   // How many rows are tried as the next one of a range.
constexpr size_t kIndexDigits = 9;  // Longer numbers are no indices.
constexpr size_t kMaxName = 1000;   // Longer names have no indices: their parts can take 30 times their memory.

using Indices = std::vector<int64_t>;

bool IsIndex(absl::string_view part) {
  return !part.empty() && part.size() <= kIndexDigits && std::all_of(part.begin(), part.end(), absl::ascii_isdigit) &&
         (part == "0" || part[0] != '0');
}

// A row, its indices, and the cell of each index.
struct Row {
  CollapsedRow row;
  size_t position;  // Of the first row that it stands for.
  Indices indices;
  std::vector<size_t> cells;
};

// Calls edit(cell, part) for each index of `cells`, which may change it.
template <typename Edit>
void EditIndices(std::vector<std::string>* cells, Edit edit) {
  for (size_t i = 0; i < cells->size(); ++i) {
    if ((*cells)[i].size() > kMaxName) continue;
    std::vector<std::string> parts = absl::StrSplit((*cells)[i], '.');
    bool has_index = false;
    for (std::string& part : parts) {
      if (!IsIndex(part)) continue;
      has_index = true;
      edit(i, &part);
    }
    if (has_index) (*cells)[i] = absl::StrJoin(parts, ".");
  }
}

// Sets the row's indices and returns its cells with 0 in the place of each.
std::vector<std::string> TakeIndices(Row* row) {
  std::vector<std::string> skeleton = row->row.cells;
  row->indices.clear();
  row->cells.clear();
  EditIndices(&skeleton, [row](size_t cell, std::string* part) {
    int64_t index = 0;
    (void)absl::SimpleAtoi(*part, &index);  // Nine digits fit.
    row->indices.push_back(index);
    row->cells.push_back(cell);
    part->assign(1, '0');
  });
  return skeleton;
}

// The difference between the indices of a row and of the next one of a range; empty if it is not the next one.
Indices Step(const Row& from, const Row& to) {
  Indices step(from.indices.size());
  size_t moved_cell = from.row.cells.size();
  for (size_t i = 0; i < step.size(); ++i) {
    step[i] = to.indices[i] - from.indices[i];
    if (step[i] == 0) continue;
    if (step[i] < -1 || step[i] > 1 || from.cells[i] == moved_cell) return {};
    moved_cell = from.cells[i];
  }
  return moved_cell == from.row.cells.size() ? Indices() : step;
}

// The rows of one skeleton by their indices. A row that was taken is null.
class Group {
 public:
  // False if there is a row with these indices.
  bool Add(Row* row) { return rows_.emplace(row->indices, row).second; }

  // Takes the first rows that are a range, or the first row; calls emit(first, last, step, count).
  template <typename Emit>
  void TakeAll(Emit emit) {
    for (auto first = rows_.begin(); first != rows_.end(); ++first) {
      if (first->second == nullptr) continue;
      Row* const row = std::exchange(first->second, nullptr);
      const Indices step = FindStep(*row, first);
      Row* last = row;
      size_t count = row->row.count;
      while (Row* next = step.empty() ? nullptr : TakeNext(*last, step)) {
        last = next;
        count += next->row.count;
        row->position = std::min(row->position, next->position);
      }
      emit(row, *last, step, count);
    }
  }

 private:
  using Rows = std::map<Indices, Row*>;

  Indices FindStep(const Row& row, Rows::iterator place) {
    ++place;
    for (size_t i = 0; i < kLookAhead && place != rows_.end(); ++i, ++place) {
      if (place->second == nullptr) continue;
      Indices step = Step(row, *place->second);
      if (!step.empty()) return step;
    }
    return {};
  }

  Row* TakeNext(const Row& row, const Indices& step) {
    Indices next = row.indices;
    for (size_t i = 0; i < next.size(); ++i) next[i] += step[i];
    const auto found = rows_.find(next);
    return found == rows_.end() ? nullptr : std::exchange(found->second, nullptr);
  }

  Rows rows_;
};

// Makes `row` the range from it to `last`.
void WriteRange(Row* row, const Row& last, const Indices& step, size_t count) {
  size_t i = 0;
  EditIndices(&row->row.cells, [&](size_t, std::string* part) {
    if (!step.empty() && step[i] != 0) *part = absl::StrCat("{", row->indices[i], "..", last.indices[i], "}");
    ++i;
  });
  row->row.count = count;
}

// Collapses one level; returns whether anything changed.
bool CollapseOnce(std::vector<Row>* rows) {
  absl::flat_hash_map<std::vector<std::string>, Group> groups;
  std::vector<Row> collapsed;
  for (Row& row : *rows) {
    if (!groups[TakeIndices(&row)].Add(&row)) collapsed.push_back(row);
  }
  for (auto& [skeleton, group] : groups) {
    group.TakeAll([&](Row* first, const Row& last, const Indices& step, size_t count) {
      WriteRange(first, last, step, count);
      collapsed.push_back(std::move(*first));
    });
  }
  std::sort(collapsed.begin(), collapsed.end(), [](const Row& a, const Row& b) { return a.position < b.position; });
  const bool changed = collapsed.size() < rows->size();
  *rows = std::move(collapsed);
  return changed;
}

// The length of the longest beginning that all names share, in whole parts: of "a.b" and "a.c" 2.
size_t SharedParts(const std::vector<std::vector<absl::string_view>>& names) {
  size_t shared = 0;
  const auto has_same = [&](const auto& name) { return shared < name.size() && name[shared] == names[0][shared]; };
  while (shared < names[0].size() && std::all_of(names.begin(), names.end(), has_same)) ++shared;
  return shared;
}

}  // namespace

std::vector<CollapsedRow> CollapseIndices(std::vector<std::vector<std::string>> rows) {
  std::vector<Row> work;
  for (std::vector<std::string>& cells : rows) work.push_back({{std::move(cells)}, work.size(), {}, {}});
  for (int pass = 0; pass < kPasses && CollapseOnce(&work); ++pass) {
  }
  std::vector<CollapsedRow> collapsed;
  for (Row& row : work) collapsed.push_back(std::move(row.row));
  return collapsed;
}

std::string JoinAlternatives(const std::vector<std::string>& names) {
  std::vector<std::vector<absl::string_view>> parts;
  const auto is_long = [](const std::string& name) { return name.size() > kMaxName; };
  if (std::any_of(names.begin(), names.end(), is_long)) return absl::StrJoin(names, ", ");
  for (const std::string& name : names) parts.push_back(absl::StrSplit(name, '.'));
  const size_t begin = SharedParts(parts);
  for (auto& name : parts) std::reverse(name.begin(), name.end());
  const size_t end = SharedParts(parts);
  for (auto& name : parts) std::reverse(name.begin(), name.end());
  std::vector<std::string> alternatives;
  for (const auto& name : parts) {
    if (begin + end != name.size() - 1) return absl::StrJoin(names, ", ");
    alternatives.emplace_back(name[begin]);
  }
  std::vector<std::string> joined(parts[0].begin(), parts[0].end());
  joined[begin] = absl::StrCat("{", absl::StrJoin(alternatives, ","), "}");
  return absl::StrJoin(joined, ".");
}

}  // namespace modelport
