#include "tests/mutation/constants_check.h"

#include <fstream>
#include <istream>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/expression/expression.h"
#include "common/keymap/conversion.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

using Values = std::map<std::string, std::string>;

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

// The values of a row by its cells: the constant, the value of the models that no other cell names, and "MODEL MODEL:
// VALUE".
absl::StatusOr<Values> ReadValues(const std::vector<std::string>& models, const std::vector<std::string>& cells) {
  if (cells.size() < 2) return absl::InvalidArgumentError("wants CONSTANT | VALUE");
  Values values;
  for (const std::string& model : models) values[model] = cells[1];
  std::set<std::string> named;
  for (size_t i = 2; i < cells.size(); ++i) {
    const std::pair<std::string, std::string> ends = absl::StrSplit(cells[i], absl::MaxSplits(": ", 1));
    if (ends.second.empty()) return absl::InvalidArgumentError(absl::StrCat(cells[i], ": wants MODEL: VALUE"));
    for (const std::string& model : std::vector<std::string>(absl::StrSplit(ends.first, ' '))) {
      if (values.count(model) == 0) return absl::InvalidArgumentError(absl::StrCat(model, ": is none of the models"));
      if (!named.insert(model).second) return absl::InvalidArgumentError(absl::StrCat(model, ": has two values"));
      values[model] = ends.second;
    }
  }
  return values;
}

absl::StatusOr<ConstantsTable> Read(std::istream& lines) {
  ConstantsTable table;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (table.variants.empty()) {
      absl::string_view models = line;
      if (!absl::ConsumePrefix(&models, "models: ")) return absl::InvalidArgumentError("wants models: NAME NAME");
      table.variants = absl::StrSplit(models, ' ');
      continue;
    }
    const std::vector<std::string> cells = Cells(line);
    ASSIGN_OR_RETURN(const Values values, ReadValues(table.variants, cells));
    ASSIGN_OR_RETURN(const std::vector<std::string> names, ExpandAlternatives(cells[0]));
    for (const std::string& name : names) {
      ASSIGN_OR_RETURN(KeyPattern constant, KeyPattern::Parse(name));
      table.rows.push_back({std::move(constant), values});
    }
  }
  return table;
}

}  // namespace

absl::StatusOr<ConstantsTable> ReadConstantsTable(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  const absl::StatusOr<ConstantsTable> table = Read(stream);
  if (!table.ok()) return Annotate(table.status(), path);
  return table;
}

std::string ConstantsText(const ModuleTree& tree) {
  std::map<std::string, std::string> constants;
  Collect(tree.root, constants);
  return absl::StrJoin(constants, ", ", absl::PairFormatter(" = "));
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
