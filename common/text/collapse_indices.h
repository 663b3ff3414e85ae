// Lists of names in which layers repeat, in brief: blocks.0.norm.weight and blocks.1.norm.weight are
// blocks.{0..1}.norm.weight.
#ifndef MODELPORT_COMMON_TEXT_COLLAPSE_INDICES_H_
#define MODELPORT_COMMON_TEXT_COLLAPSE_INDICES_H_

#include <cstddef>
#include <string>
#include <vector>

namespace modelport {

// A row that stands for `count` rows, from which it differs in its ranges {first..last}.
struct CollapsedRow {
  std::vector<std::string> cells;
  size_t count = 1;
};

// Collapses rows that are equal except for indices. An index is a number that is a whole part of a dotted name. From
// one row to the next, each cell's indices stay equal, or one of them grows or falls by one:
//   {"blocks.0.norm.weight", "[384]"}, {"blocks.1.norm.weight", "[384]"} -> {"blocks.{0..1}.norm.weight", "[384]"}
// Two ranges in a cell stand for every combination; ranges in two cells of a row run together, so the cells of a row
// that has both have ranges of the same lengths in the same order. Results are in the order of the first row of each.
// Names of more than 1000 bytes have no indices. Takes time O(n log n) in the size of `rows`.
std::vector<CollapsedRow> CollapseIndices(std::vector<std::vector<std::string>> rows);

// Names that differ in one place as one: "layer.{query,key,value}.weight" of "layer.query.weight", ... Other names, and
// those of more than 1000 bytes, are joined with ", ". `names` is not empty.
std::string JoinAlternatives(const std::vector<std::string>& names);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_COLLAPSE_INDICES_H_
