#ifndef MODELPORT_COMMON_TEXT_TABLE_H_
#define MODELPORT_COMMON_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

// A table of text whose columns are aligned, two spaces apart. Cells are made Printable, so that each row is one line.
// A cell of more than 100 bytes does not widen its column; it shifts the rest of its row.
class Table {
 public:
  void AddRow(std::vector<std::string> cells);

  // One line for each row, without trailing spaces.
  std::string ToString() const;

  // For people: as above, but the last cell of a row breaks at spaces where its line would have more than `columns`
  // characters, and goes on below its beginning. At least 24 columns are left to it.
  std::string ToString(size_t columns) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// `text` as lines of at most `columns` characters, broken at spaces; a longer word is a line of its own. A call such as
// `bazel run //tools:list -- --x` is one word, so that it can be copied. At least one line.
std::vector<std::string> Wrap(absl::string_view text, size_t columns);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_TABLE_H_
