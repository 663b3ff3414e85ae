#ifndef MODELPORT_COMMON_TEXT_TABLE_H_
#define MODELPORT_COMMON_TEXT_TABLE_H_

#include <string>
#include <vector>

namespace modelport {

// A table of text whose columns are aligned, two spaces apart. Cells are made Printable, so that each row is one line.
// A cell of more than 100 bytes does not widen its column; it shifts the rest of its row.
class Table {
 public:
  void AddRow(std::vector<std::string> cells);

  // One line for each row, without trailing spaces.
  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_TABLE_H_
