#include "tests/mutation/constants_check.h"

#include <fstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/expression/expression.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

constexpr char kAbsent[] = "-";

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells = absl::StrSplit(line, '|');
  for (std::string& cell : cells) absl::StripAsciiWhitespace(&cell);
  return cells;
}

void Collect(const ModuleNode& node, std::map<std::string, std::string>& constants) {
  const std::string prefix = node.path.empty() ? "" : absl::StrCat(node.path, ".");
  for (const auto& [name, value] : node.constants) constants[prefix + name] = ValueString(value);
  for (const auto& [name, value] : node.attributes) constants[prefix + name] = ValueString(value);
  for (const ModuleNode::Child& child : node.children) Collect(*child.node, constants);
}

}  // namespace

absl::StatusOr<ConstantsTable> ReadConstantsTable(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  ConstantsTable table;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells = Cells(line);
    if (table.variants.empty()) {
      table.variants.assign(cells.begin() + 1, cells.end());
      continue;
    }
    if (cells.size() != table.variants.size() + 1) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": wants ", table.variants.size() + 1, " columns: ", line));
    }
    ASSIGN_OR_RETURN(KeyPattern constant, KeyPattern::Parse(cells[0]));
    ConstantsTable::Row row{std::move(constant), {}};
    for (size_t i = 0; i < table.variants.size(); ++i) row.values[table.variants[i]] = cells[i + 1];
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> CheckConstants(const ModuleTree& tree, const ConstantsTable& table,
                                        const std::string& variant) {
  std::map<std::string, std::string> constants;
  Collect(tree.root, constants);
  std::vector<std::string> problems;
  for (const ConstantsTable::Row& row : table.rows) {
    const std::string& wanted = row.values.at(variant);
    bool matched = false;
    for (auto it = constants.begin(); it != constants.end();) {
      if (!row.constant.Match(it->first)) {
        ++it;
        continue;
      }
      matched = true;
      if (it->second != wanted) problems.push_back(absl::StrCat(it->first, " wants ", wanted, ", has ", it->second));
      it = constants.erase(it);
    }
    if (!matched && wanted != kAbsent) problems.push_back(absl::StrCat("no constant ", row.constant.text()));
  }
  for (const auto& [name, value] : constants) problems.push_back(absl::StrCat("no row for ", name, " = ", value));
  return problems;
}

}  // namespace modelport
