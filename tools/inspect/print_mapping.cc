#include "tools/inspect/print_mapping.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/left_out.h"
#include "common/operation/slot_source.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/text/collapse_indices.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "common/yaml/document.h"

namespace modelport {
namespace {

// More rows than this are not collapsed: no model has as many, and a hostile file would take much memory.
constexpr size_t kCollapsed = 20000;

using Rows = std::vector<std::vector<std::string>>;

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
