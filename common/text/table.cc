#include "common/text/table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr size_t kMaxWidth = 100;   // Without a limit, one long cell would add its length to every row.
constexpr size_t kLeastWidth = 24;  // Of a last cell that is broken.

// The characters of `text` in UTF-8.
size_t Width(absl::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

// Whether a line may not end between two words that follow each other.
bool IsOneCall(absl::string_view before, absl::string_view after) {
  return absl::EndsWith(before, "bazel") || absl::EndsWith(before, "bazelw") || absl::StartsWith(after, "//tools:") ||
         before == "--" || after == "--";
}

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

std::vector<std::string> Wrap(absl::string_view text, size_t columns) {
  std::vector<std::string> words;
  absl::string_view last;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (!words.empty() && IsOneCall(last, word)) {
      absl::StrAppend(&words.back(), " ", word);
    } else {
      words.emplace_back(word);
    }
    last = word;
  }
  std::vector<std::string> lines = {words.front()};
  for (size_t i = 1; i < words.size(); ++i) {
    if (Width(lines.back()) + 1 + Width(words[i]) <= columns) {
      absl::StrAppend(&lines.back(), " ", words[i]);
    } else {
      lines.push_back(words[i]);
    }
  }
  return lines;
}

}  // namespace modelport
