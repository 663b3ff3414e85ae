// Prints the catalog.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "models/built_in_plugins.h"
#include "nlohmann/json.hpp"
#include "registry/registry.h"
#include "registry/wrappers.h"
#include "targets/targets.h"
#include "tools/command/commands.h"
#include "tools/command/report.h"
#include "tools/command/terminal.h"
#include "tools/request/load_registry.h"

namespace modelport {
namespace {

struct ListFlags {
  FlagGroup group;
  RegistryFlags registry{group};
  Report report{group};
};

absl::StatusOr<int64_t> Parameters(const CatalogEntry& entry) {
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  return CountParameters(tree);
}

std::string FileNames(const Variant& variant) {
  return absl::StrJoin(variant.files, ", ",
                       [](std::string* out, const PublishedFile& file) { absl::StrAppend(out, file.name); });
}

// The wrappers for a host, the default first.
std::string WrappersFor(const Target& target, const CatalogEntry& entry) {
  return absl::StrJoin(WrappersOf(*entry.plugin, *entry.variant, target.name), ", ",
                       [](std::string* out, const Wrapper* wrapper) { absl::StrAppend(out, wrapper->name); });
}

using Rows = std::vector<std::vector<std::string>>;

std::string OneRowEach(const Rows& rows) {
  Table table;
  for (const std::vector<std::string>& row : rows) table.AddRow(row);
  return table.ToString();
}

// Each row but the first, the titles, as its first cell and below it a text of the others, in lines of at most
// `columns` characters unless a word is longer.
std::string OneTextEach(const Rows& rows, size_t columns) {
  constexpr absl::string_view kIndent = "    ";
  std::string lines;
  for (size_t i = 1; i < rows.size(); ++i) {
    std::string text;
    for (size_t cell = 1; cell < rows[i].size(); ++cell) {
      if (rows[i][cell].empty()) continue;
      absl::StrAppend(&text, text.empty() ? "" : "; ", rows[0][cell], ": ", rows[i][cell]);
    }
    absl::StrAppend(&lines, Printable(rows[i][0]), "\n");
    for (const std::string& part : Wrap(Printable(text), columns - std::min(columns, kIndent.size()))) {
      absl::StrAppend(&lines, kIndent, part, "\n");
    }
  }
  return lines;
}

// The table, unless it is wider than the terminal.
std::string FitCatalog(const Rows& rows) {
  std::string table = OneRowEach(rows);
  const absl::optional<size_t> columns = StdoutColumns();
  if (!columns) return table;
  for (const absl::string_view line : absl::StrSplit(table, '\n')) {
    if (line.size() > *columns) return OneTextEach(rows, *columns);
  }
  return table;
}

// The hosts that lend wrappers.
std::vector<const Target*> Hosts() {
  std::vector<const Target*> hosts;
  std::copy_if(Targets().begin(), Targets().end(), std::back_inserter(hosts),
               [](const Target* target) { return target->wrappers == target->name; });
  return hosts;
}

nlohmann::ordered_json ReportOf(const CatalogEntry& entry, int64_t parameters) {
  const Variant& variant = *entry.variant;
  auto wrappers = nlohmann::ordered_json::object(), files = nlohmann::ordered_json::array();
  for (const Target* host : Hosts()) {
    for (const Wrapper* wrapper : WrappersOf(*entry.plugin, variant, host->name)) {
      wrappers[host->name].push_back(wrapper->name);
    }
  }
  for (const PublishedFile& file : variant.files) files.push_back({{"name", file.name}, {"url", file.url}});
  return {{"model", variant.name},    {"family", entry.plugin->family}, {"summary", variant.summary},
          {"parameters", parameters}, {"wrappers", wrappers},           {"published", variant.published},
          {"published_files", files}, {"licence", variant.licence}};
}

absl::Status List(ListFlags& flags) {
  ASSIGN_OR_RETURN(const Registry registry, LoadRegistry(BuiltInPlugins(), flags.registry));
  const std::vector<const Target*> hosts = Hosts();
  std::vector<std::string> titles = {"model", "family", "what", "parameters"};
  for (const Target* host : hosts) titles.push_back(absl::StrCat("for ", host->title));
  titles.insert(titles.end(), {"published file", "licence of the weights"});
  Rows rows = {std::move(titles)};
  for (const CatalogEntry& entry : registry.catalog()) {
    const Variant& variant = *entry.variant;
    ASSIGN_OR_RETURN(const int64_t parameters, Parameters(entry));
    if (flags.report.is_wanted()) {
      flags.report.fields()["models"].push_back(ReportOf(entry, parameters));
      continue;
    }
    std::vector<std::string> row = {variant.name, entry.plugin->family, variant.summary, FormatCount(parameters)};
    for (const Target* host : hosts) row.push_back(WrappersFor(*host, entry));
    row.push_back(variant.published ? FileNames(variant) : "not published");
    row.push_back(variant.licence);
    rows.push_back(std::move(row));
  }
  if (!flags.report.is_wanted()) std::cout << FitCatalog(rows);
  return absl::OkStatus();
}

}  // namespace

Command ListCommand() {
  return {
      .name = "list",
      .summary = "Prints the catalog: every model that can be exported.",
      .begin = TakesFlags<ListFlags>(List),
  };
}

}  // namespace modelport
