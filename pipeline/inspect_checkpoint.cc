#include "pipeline/inspect_checkpoint.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "pipeline/weight_source.h"

namespace modelport {
namespace {

void PrintStateDict(const StateDict& dict, std::ostream& out) {
  int64_t elements = 0;
  std::map<absl::string_view, int> dtypes;
  Table table;
  for (const CheckpointTensor& tensor : dict.tensors) {
    elements += *ElementCount(tensor.shape);
    ++dtypes[DTypeName(tensor.dtype)];
    table.AddRow({absl::StrCat("  ", tensor.key), std::string(DTypeName(tensor.dtype)), ShapeString(tensor.shape)});
  }
  const auto dtype_text = [](std::string* text, const auto& dtype) {
    absl::StrAppend(text, dtype.second, " ", dtype.first);
  };
  out << "\nstate dict " << (dict.path.empty() ? "at the root" : absl::StrCat("\"", dict.path, "\"")) << ": "
      << dict.tensors.size() << " tensors (" << absl::StrJoin(dtypes, ", ", dtype_text) << "), "
      << FormatCount(elements) << " elements\n"
      << table.ToString();
}

void PrintPlan(const Plan& plan, const ModuleTree& tree, const std::string& model, std::ostream& out) {
  size_t filled = 0;
  for (const SlotSource& source : plan.sources) filled += source.tensor != nullptr;
  out << "\nfits " << model << ": layout " << plan.layout
      << (plan.state_dict.empty() ? "" : absl::StrCat(", state dict \"", plan.state_dict, "\"")) << ", " << filled
      << " of " << tree.slots.size() << " slots filled\n";
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    if (plan.sources[i].tensor != nullptr) continue;
    out << "  zeros: " << tree.slots[i].name << " (" << plan.sources[i].reason << ")\n";
  }
  for (const auto& [slot, key] : plan.aliases) out << "  shared: " << slot << " is stored as " << key << "\n";
  for (const auto& [key, reason] : plan.unused) out << "  unused: " << key << " (" << reason << ")\n";
}

}  // namespace

absl::Status InspectCheckpoint(const Registry& registry, const std::string& path,
                               const absl::optional<CatalogEntry>& entry, const std::string& layout,
                               std::ostream& out) {
  ASSIGN_OR_RETURN(const Checkpoint checkpoint, OpenCheckpoint(path));
  out << path << ": " << checkpoint.format() << ", " << FormatBytes(checkpoint.bytes().size()) << "\n";
  for (const auto& [key, value] : checkpoint.metadata()) out << "  metadata " << key << ": " << value << "\n";
  for (const StateDict& dict : checkpoint.state_dicts()) PrintStateDict(dict, out);
  if (!entry) {
    const std::vector<std::string> names = FittingVariants(registry, checkpoint);
    out << "\nfits " << (names.empty() ? "no model of the catalog" : absl::StrJoin(names, ", ")) << "\n";
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const MappedWeights weights, MapWeights(registry, *entry, path, /*seed=*/0, layout));
  PrintPlan(weights.plan, weights.tree, entry->variant->name, out);
  return absl::OkStatus();
}

}  // namespace modelport
