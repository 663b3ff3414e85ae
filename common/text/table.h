#ifndef MODELPORT_COMMON_TEXT_TABLE_H_
#define MODELPORT_COMMON_TEXT_TABLE_H_

#include <string>
#include <vector>

namespace modelport {

// A table of text whose columns are aligned, two spaces apart. Cells are shown as Printable spells them, so that each
// row is one line. A cell of more than 100 bytes does not widen its column: the rest of its row is shifted.
class Table {
 public:
  void AddRow(std::vector<std::string> cells);

  // One line a row, without trailing spaces.
  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_TABLE_H_
