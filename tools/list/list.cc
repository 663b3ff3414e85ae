// Prints the catalog.
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "models/built_in_plugins.h"
#include "registry/find_wrapper.h"
#include "registry/registry.h"
#include "tools/command/commands.h"
#include "tools/request/load_registry.h"

namespace modelport {
namespace {

absl::StatusOr<int64_t> Parameters(const CatalogEntry& entry) {
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  int64_t parameters = 0;
  for (const Slot& slot : tree.slots) parameters += slot.is_buffer ? 0 : *ElementCount(slot.shape);
  return parameters;
}

std::string FileNames(const Variant& variant) {
  return absl::StrJoin(variant.files, ", ",
                       [](std::string* out, const PublishedFile& file) { absl::StrAppend(out, file.name); });
}

// The nodes for Nuke, the default first.
std::string NukeNodes(const CatalogEntry& entry) {
  return absl::StrJoin(WrappersOf(*entry.plugin, *entry.variant, "nuke"), ", ",
                       [](std::string* out, const Wrapper* wrapper) { absl::StrAppend(out, wrapper->name); });
}

absl::Status List() {
  ASSIGN_OR_RETURN(const Registry registry, LoadRegistry(BuiltInPlugins()));
  Table table;
  table.AddRow({"model", "family", "what", "parameters", "for Nuke", "published file", "licence of the weights"});
  for (const CatalogEntry& entry : registry.catalog()) {
    ASSIGN_OR_RETURN(const int64_t parameters, Parameters(entry));
    table.AddRow({entry.variant->name, entry.plugin->family, entry.variant->summary, FormatCount(parameters),
                  NukeNodes(entry), entry.variant->published ? FileNames(*entry.variant) : "not published",
                  entry.variant->licence});
  }
  std::cout << table.ToString();
  return absl::OkStatus();
}

}  // namespace

Command ListCommand() {
  return {
      .name = "list",
      .summary = "Prints the catalog: every model that can be exported.",
      .flags = RegistryFlags(),
      .run = TakesFlags(List),
  };
}

}  // namespace modelport
