#include "common/text/table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/text/printable.h"
#include "common/text/wrap.h"

namespace modelport {

namespace {

constexpr size_t kMaxWidth = 100;   // Without a limit, one long cell would add its length to every row.
constexpr size_t kLeastWidth = 24;  // Of a last cell that is broken.

}  // namespace

void Table::AddRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = Printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::ToString() const { return ToString(std::numeric_limits<size_t>::max()); }

std::string Table::ToString(size_t columns) const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i].size() <= kMaxWidth) widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      absl::StrAppend(&line, row[i], std::string(std::max(widths[i], row[i].size()) - row[i].size() + 2, ' '));
    }
    const std::string indent(line.size(), ' ');
    const size_t left = columns - std::min(columns, indent.size());
    for (const std::string& part : Wrap(row.empty() ? "" : row.back(), std::max(left, kLeastWidth))) {
      absl::StrAppend(&line, part);
      absl::StripTrailingAsciiWhitespace(&line);
      absl::StrAppend(&text, line, "\n");
      line = indent;
    }
  }
  return text;
}

}  // namespace modelport
