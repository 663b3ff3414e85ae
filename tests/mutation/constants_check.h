#ifndef MODELPORT_TESTS_MUTATION_CONSTANTS_CHECK_H_
#define MODELPORT_TESTS_MUTATION_CONSTANTS_CHECK_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/keymap/key_pattern.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// What upstream gives the constants of one variant.
struct ConstantsTable {
  struct Row {
    KeyPattern constant;                        // "blocks.{i}.norm1.eps"
    std::map<std::string, std::string> values;  // By variant; "-": the variant has no such constant.
  };
  std::vector<std::string> variants;
  std::vector<Row> rows;
};

// Reads a table of lines
//
//   # A comment.
//   models: toy_small toy_large toy_reg
//   blocks.{i}.norm{1,2}.eps | 1e-6 | toy_large toy_reg: 1e-5
//
// with the value of the models that the line does not name, then those of others; "-": they have no such constant.
// Alternatives stand for a row each.
absl::StatusOr<ConstantsTable> ReadConstantsTable(const std::string& path);

// All constants and attributes of `tree`: "height = 1024, width = 1024".
std::string ConstantsText(const ModuleTree& tree);

// Every disagreement of `tree`'s constants and attributes with the table's column `variant`: other values, constants
// without a row, and rows that match no constant.
std::vector<std::string> CheckConstants(const ModuleTree& tree, const ConstantsTable& table,
                                        const std::string& variant);

}  // namespace modelport

#endif  // MODELPORT_TESTS_MUTATION_CONSTANTS_CHECK_H_
