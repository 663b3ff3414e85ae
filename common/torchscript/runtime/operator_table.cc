#include "common/torchscript/runtime/operator_table.h"

#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/torchscript/runtime/runtimes/embedded_operators.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

// One signature: "-xxxx aten::pad(...)" has an x for each runtime that registers it.
struct Row {
  absl::string_view columns;
  absl::string_view signature;
};

struct Table {
  std::vector<std::string> runtimes;
  std::vector<Row> rows;  // Sorted by signature.
};

Table ParseTable(absl::string_view text) {
  Table table;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (line[0] == '#') continue;
    if (table.runtimes.empty()) {
      table.runtimes = absl::StrSplit(line, ' ');
    } else {
      const size_t width = table.runtimes.size();
      table.rows.push_back({line.substr(0, width), line.substr(width + 1)});
    }
  }
  return table;
}

const Table& EmbeddedTable() {
  static const Table* const table = new Table(ParseTable(EmbeddedOperators()[0].text));
  return *table;
}

}  // namespace

std::vector<std::string> OperatorTableRuntimes() { return EmbeddedTable().runtimes; }

std::vector<c10::FunctionSchema> RegisteredSchemas(absl::string_view runtime, absl::string_view name) {
  const Table& table = EmbeddedTable();
  const size_t column = std::find(table.runtimes.begin(), table.runtimes.end(), runtime) - table.runtimes.begin();
  const std::string prefix = absl::StrCat(name, "(");
  const auto before = [](const Row& row, absl::string_view text) { return row.signature < text; };
  std::vector<c10::FunctionSchema> schemas;
  for (auto row = std::lower_bound(table.rows.begin(), table.rows.end(), prefix, before);
       row != table.rows.end() && absl::StartsWith(row->signature, prefix); ++row) {
    if (row->columns[column] != 'x') continue;
    auto schema = CatchTorch([&] { return torch::jit::parseSchema(absl::StrCat(row->signature, " -> ()")); });
    if (schema.ok()) schemas.push_back(*std::move(schema));
  }
  return schemas;
}

HasOperator OperatorsOf(const Runtime* runtime) {
  if (runtime == nullptr) return CompilerHasOperator;
  return [runtime](const std::string& name) {
    return !RegisteredSchemas(runtime->name, absl::StrCat("aten::", name)).empty();
  };
}

}  // namespace modelport
