#include "tools/inspect/print_checkpoint.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_pattern.h"
#include "common/keymap/left_out.h"
#include "common/operation/constant.h"
#include "common/operation/slot_source.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/text/collapse_indices.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "common/yaml/document.h"
#include "registry/plugin.h"

namespace modelport {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr size_t kShownKey = 100;
constexpr size_t kShownText = 1000;
// No model has more. The rows of all tensors of a hostile file would take much memory.
constexpr size_t kTensorsAtOnce = 20000;

size_t CountFilled(const Plan& plan) {
  return std::count_if(plan.sources.begin(), plan.sources.end(),
                       [](const SlotSource& source) { return source.constant() == nullptr; });
}

// Prints the line above a state dict: its paths, its tensors by dtype and the number of elements.
void PrintTitle(const StateDict& dict, std::ostream& out) {
  int64_t elements = 0;
  std::map<absl::string_view, int> dtypes;
  for (const CheckpointTensor& tensor : dict.tensors) {
    elements += *ElementCount(tensor.shape);
    ++dtypes[DTypeName(tensor.dtype)];
  }
  const auto dtype_text = [](std::string* text, const auto& dtype) {
    absl::StrAppend(text, dtype.second, " ", dtype.first);
  };
  out << "\nstate dict " << (dict.path.empty() ? "at the root" : absl::StrCat("\"", Brief(dict.path), "\""))
      << (dict.module.empty() ? "" : absl::StrCat(", of a whole module of class ", Brief(dict.module)))
      << (dict.also.empty() ? "" : absl::StrCat(", also ", FirstFew(dict.also))) << ": " << dict.tensors.size()
      << " tensors (" << absl::StrJoin(dtypes, ", ", dtype_text) << "), " << FormatCount(elements) << " elements\n";
}

void PrintTensors(absl::Span<const CheckpointTensor> tensors, std::ostream& out) {
  std::vector<std::vector<std::string>> rows;
  for (const CheckpointTensor& tensor : tensors) {
    rows.push_back({tensor.key, std::string(DTypeName(tensor.dtype)), ShapeString(tensor.shape)});
  }
  const std::vector<CollapsedRow> collapsed = CollapseIndices(std::move(rows));
  size_t key_width = 0, dtype_width = 0;
  for (const CollapsedRow& row : collapsed) {
    key_width = std::max(key_width, std::min(row.cells[0].size(), kShownKey));
    dtype_width = std::max(dtype_width, row.cells[1].size());
  }
  for (const CollapsedRow& row : collapsed) {
    out << absl::StreamFormat("  %-*s  %-*s  %s\n", key_width, Brief(row.cells[0]), dtype_width, row.cells[1],
                              row.cells[2]);
  }
}

void PrintStateDict(const StateDict& dict, std::ostream& out) {
  PrintTitle(dict, out);
  const absl::Span<const CheckpointTensor> tensors = dict.tensors;
  for (size_t i = 0; i < tensors.size(); i += kTensorsAtOnce) PrintTensors(tensors.subspan(i, kTensorsAtOnce), out);
}

void PrintLoose(const std::vector<LooseTensors>& loose, std::ostream& out) {
  if (!loose.empty()) out << "\nbeside the state dicts\n";
  for (const LooseTensors& part : loose) {
    if (!part.key.empty()) {
      out << "  " << Brief(part.path) << " is " << part.holder << ": not read\n";
      continue;
    }
    out << "  " << Brief(part.path) << " is " << part.holder << ": " << Counted(part.tensors, "tensor") << ", "
        << FormatCount(part.elements) << " elements\n";
  }
}

std::string PatternTexts(const std::vector<KeyPattern>& patterns) {
  return absl::StrJoin(patterns, ", ", [](std::string* text, const KeyPattern& p) { text->append(p.text()); });
}

// The family and the layout of the models that fit, once for all that share them, and how many slots that fills.
void PrintReadings(const std::vector<FittingVariant>& variants, std::ostream& out) {
  std::vector<std::string> printed;
  for (const FittingVariant& variant : variants) {
    if (!variant.plan.ok()) continue;
    const Plan& plan = *variant.plan;
    const Plugin& plugin = *variant.entry.plugin;
    std::string text = absl::StrCat("  family ", plugin.family, ", layout ", plan.layout, ", which has keys like ",
                                    PatternTexts(plugin.key_map.Find(plan.layout)->recognise), "\n  in ",
                                    DictName(plan.state_dict), ": ", CountFilled(plan), " of ", plan.sources.size(),
                                    " slots filled, ", plan.unused.size(), " keys unused\n");
    if (!plan.note.empty()) absl::StrAppend(&text, "  note: ", plan.note, "\n");
    if (std::count(printed.begin(), printed.end(), text) > 0) continue;
    out << text;
    printed.push_back(std::move(text));
  }
}

// How sure it is that the file is of one of `names`, out of `candidates` models with its keys and shapes.
std::string Certainty(const std::vector<std::string>& names, size_t candidates) {
  if (names.size() > 1) {
    return absl::StrCat("no, these ", names.size(),
                        " models have the same keys and shapes, and no config.json tells which; ",
                        "--model=NAME chooses");
  }
  if (candidates == 1 && !names.empty()) return "yes, no other model of the catalog has these keys and shapes";
  return names.empty() ? "no, what has these keys and shapes is refused"
                       : "yes, the others with these keys and shapes are refused";
}

// The lines of a message below one that is indented.
std::string Indented(absl::string_view message) { return absl::StrReplaceAll(message, {{"\n", "\n  "}}); }

// More rows than this are not collapsed: no model has as many, and a hostile file would take much memory.
constexpr size_t kCollapsed = 20000;

std::vector<CollapsedRow> Collapse(Rows rows) {
  if (rows.size() <= kCollapsed) return CollapseIndices(std::move(rows));
  std::vector<CollapsedRow> all;
  for (std::vector<std::string>& cells : rows) all.push_back({std::move(cells)});
  return all;
}

// "<- concatenate(0) layer.0.{query,key,value}.weight"
std::string DescribeSource(const std::string& operation, const std::vector<std::string>& keys) {
  std::string text = "<-";
  if (!operation.empty()) absl::StrAppend(&text, " ", operation);
  if (!keys.empty()) absl::StrAppend(&text, " ", JoinAlternatives(keys));
  return text;
}

// A part of PrintDifferences.
template <typename T, typename CellsOf>
void PrintGroup(absl::string_view title, const std::vector<T>& differences, CellsOf cells_of, std::ostream& out) {
  Rows rows;
  for (const T& difference : differences) rows.push_back(cells_of(difference));
  for (const CollapsedRow& row : Collapse(std::move(rows))) {
    out << "  " << title << ": " << absl::StrJoin(row.cells, " ") << "\n";
  }
}

// The slot, its shape, and the keys that it would be made of if they have other names.
std::vector<std::string> MissingCells(const MissingSlot& missing) {
  std::vector<std::string> cells = {missing.slot->name, ShapeString(missing.slot->shape)};
  if (missing.keys.size() == 1 && missing.keys.front() == missing.slot->name) return cells;
  for (const std::string& key : missing.keys) cells.push_back(Brief(key));
  return cells;
}

void PrintMissing(const std::vector<MissingSlot>& missing, std::ostream& out) {
  Rows rows;
  for (const MissingSlot& slot : missing) rows.push_back(MissingCells(slot));
  for (const CollapsedRow& row : Collapse(std::move(rows))) {
    const std::vector<std::string> keys(row.cells.begin() + 2, row.cells.end());
    out << "  missing: " << row.cells[0] << " " << row.cells[1] << (keys.empty() ? "" : " " + DescribeSource("", keys))
        << "\n";
  }
}

std::vector<std::string> UnexpectedCells(const SourceKey& key) {
  return {Brief(key.tensor->key), ShapeString(key.tensor->shape)};
}

std::vector<std::string> ShapeCells(const Misfit& misfit) {
  return {misfit.slot->name,
          absl::StrCat("wants ", ShapeString(misfit.slot->shape), ", has ", ShapeString(misfit.source.shape()))};
}

std::vector<std::string> DTypeCells(const Misfit& misfit) {
  const absl::optional<DType>& wanted = misfit.slot->dtype;
  return {misfit.slot->name, absl::StrCat("wants ", wanted ? DTypeName(*wanted) : "a floating dtype", ", has ",
                                          DTypeName(misfit.source.dtype()))};
}

}  // namespace

void PrintFile(const Checkpoint& checkpoint, std::ostream& out) {
  out << checkpoint.path() << ": " << checkpoint.format() << ", " << FormatBytes(checkpoint.size());
  if (const size_t files = checkpoint.files().size(); files > 1) out << ", an index and " << files - 1 << " shards";
  out << "\n";
}

void PrintContents(const Checkpoint& checkpoint, std::ostream& out) {
  if (!checkpoint.metadata().empty()) out << "\nmetadata\n";
  for (const auto& [key, value] : checkpoint.metadata()) {
    out << "  " << Brief(key) << ": " << Brief(value, kShownText) << "\n";
  }
  for (const StateDict& dict : checkpoint.state_dicts()) PrintStateDict(dict, out);
  PrintLoose(checkpoint.loose(), out);
}

void PrintFit(const std::vector<FittingVariant>& variants, const absl::optional<NearestVariant>& nearest,
              const std::string& layout, std::ostream& out) {
  const std::vector<std::string> names = NamesOfFitting(variants);
  out << "\nfits " << (names.empty() ? "no model of the catalog" : absl::StrJoin(names, ", "))
      << (layout == "auto" ? "" : absl::StrCat(" in layout ", layout)) << "\n";
  if (!names.empty()) PrintReadings(variants, out);
  if (!variants.empty()) out << "  sure: " << Certainty(names, variants.size()) << "\n";
  for (const FittingVariant& variant : variants) {
    if (!variant.plan.ok()) out << "  refused: " << Indented(variant.plan.status().message()) << "\n";
  }
  if (nearest) out << "the nearest is " << nearest->name << " " << nearest->differences << "\n";
}

void PrintPlan(const Plan& plan, const ModuleTree& tree, absl::string_view model, std::ostream& out) {
  out << "\nfits " << model << ": layout " << plan.layout
      << (plan.state_dict.empty() ? "" : absl::StrCat(", state dict \"", Brief(plan.state_dict), "\"")) << ", "
      << CountFilled(plan) << " of " << tree.slots.size() << " slots filled\n";
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    const Constant* const constant = plan.sources[i].constant();
    if (constant == nullptr) continue;
    out << "  " << plan.sources[i].operation() << ": " << tree.slots[i].name << " (" << constant->reason << ")\n";
  }
  for (const ChangedSlot& changed : plan.changed) {
    out << "  changed: " << changed.slot << " by " << changed.operation << " (" << changed.reason << ")\n";
  }
  for (const RenamedKeys& old : plan.old_names) {
    out << "  old names: " << Counted(old.tensors, "key") << ", " << old.from << " is now " << old.to << " ("
        << old.reason << ")\n";
  }
  for (const auto& [slot, key] : plan.aliases) out << "  shared: " << slot << " is stored as " << key << "\n";
  for (const auto& [key, reason] : plan.unused) out << "  unused: " << Brief(key) << " (" << reason << ")\n";
  if (!plan.left_out.empty()) out << "  left out: " << DescribeLeftOut(plan.left_out) << "\n";
  if (!plan.unknown_config.empty()) {
    out << "  config.json: not compared, since the plugin does not know them: " << FirstFew(plan.unknown_config)
        << "\n";
  }
}

void PrintMapping(const Plan& plan, const ModuleTree& tree, std::ostream& out) {
  Rows rows;
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    const SlotSource& source = plan.sources[i];
    std::vector<std::string>& row = rows.emplace_back();
    row = {tree.slots[i].name, ShapeString(source.shape()), source.operation()};
    for (const SourceInput& input : source.inputs()) row.push_back(Brief(input.tensor->key));
  }
  Table table;
  for (const CollapsedRow& row : Collapse(std::move(rows))) {
    const std::vector<std::string> keys(row.cells.begin() + 3, row.cells.end());
    table.AddRow({absl::StrCat("  ", row.cells[0]), DescribeSource(row.cells[2], keys), row.cells[1]});
  }
  out << "\nmapping\n" << table.ToString();
}

void PrintDifferences(const Comparison& comparison, absl::string_view model, std::ostream& out) {
  const LayoutReading& reading = comparison.reading;
  out << "\ndoes not fit " << model << ": layout " << reading.layout->name << ", " << DictName(reading.path) << "\n";
  PrintGroup(
      "absent mark", reading.unmatched, [](const KeyPattern* pattern) { return Rows::value_type{pattern->text()}; },
      out);
  PrintGroup(
      "twice", reading.keys->collisions,
      [](const Collision& c) {
        return Rows::value_type{Brief(c.first->key), Brief(c.second->key)};
      },
      out);
  PrintGroup(
      "idle rule", reading.keys->idle_rules,
      [](const Rename* rule) {
        return Rows::value_type{MarkString(rule->mark), rule->from.text()};
      },
      out);
  PrintMissing(comparison.missing, out);
  PrintGroup("unexpected", comparison.unexpected, UnexpectedCells, out);
  PrintGroup("wrong shape", comparison.wrong_shape, ShapeCells, out);
  PrintGroup("wrong dtype", comparison.wrong_dtype, DTypeCells, out);
  PrintGroup(
      "cannot be made", comparison.unconvertible,
      [](const Unconvertible& slot) {
        return Rows::value_type{slot.slot->name, slot.problem};
      },
      out);
}

}  // namespace modelport
