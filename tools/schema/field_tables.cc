#include "tools/schema/field_tables.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace modelport {
namespace {

// The cells of "| a | b |", where "\|" is a "|" within a cell; none if the line is no row of a table.
std::vector<std::string> Cells(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "|") || !absl::ConsumeSuffix(&line, "|")) return {};
  std::vector<std::string> cells(1);
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '|') {
      cells.emplace_back();
    } else {
      if (absl::StartsWith(line.substr(i), "\\|")) ++i;
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) absl::StripAsciiWhitespace(&cell);
  return cells;
}

// `text` with "targets" in the place of "[targets](#targets)".
std::string WithoutLinks(absl::string_view text) {
  std::string result;
  for (size_t middle; (middle = text.find("](")) != text.npos;) {
    const size_t open = text.rfind('[', middle), close = text.find(')', middle);
    if (open == text.npos || close == text.npos) break;
    absl::StrAppend(&result, text.substr(0, open), text.substr(open + 1, middle - open - 1));
    text.remove_prefix(close + 1);
  }
  return absl::StrCat(result, text);
}

std::string WithoutBackticks(absl::string_view text) { return absl::StrReplaceAll(text, {{"`", ""}}); }

}  // namespace

std::vector<FieldTable> ReadFieldTables(absl::string_view page) {
  std::vector<FieldTable> tables;
  std::vector<std::string> columns;  // Of the table at hand; empty outside tables.
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    std::vector<std::string> cells = Cells(line);
    if (cells.empty() || columns.empty()) {
      columns = std::move(cells);
      if (!columns.empty() && columns[0] == "field") tables.emplace_back();
      continue;
    }
    if (columns[0] != "field" || absl::StartsWith(cells[0], ":-")) continue;
    const auto cell = [&](absl::string_view column) {
      const size_t i = std::find(columns.begin(), columns.end(), column) - columns.begin();
      return i < cells.size() ? cells[i] : "";
    };
    tables.back().push_back({WithoutBackticks(cells[0]), WithoutBackticks(cell("type")), cell("required"),
                             WithoutBackticks(cell("default")), WithoutLinks(WithoutBackticks(cell("example")))});
  }
  return tables;
}

}  // namespace modelport
