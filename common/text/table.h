#ifndef MODELPORT_COMMON_TEXT_TABLE_H_
#define MODELPORT_COMMON_TEXT_TABLE_H_

#include <string>
#include <utility>
#include <vector>

namespace modelport {

// A table of text whose columns are aligned, two spaces apart.
class Table {
 public:
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // One line a row, without trailing spaces.
  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_TABLE_H_
