// Tables of test cases. A case is a block of lines "FIELD: TEXT", apart from the next by an empty line:
//
//   # A line of comment.
//   model: tiny
//   call: forward 1,3,28,28
//   call: forward 2,3,42,28
//
// The lines "- TEXT" and "+ TEXT" are the fields "-" and "+". A text is taken as it stands, with its spaces.
#ifndef MODELPORT_TESTS_SUPPORT_CASE_TABLE_H_
#define MODELPORT_TESTS_SUPPORT_CASE_TABLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

struct CaseField {
  std::string name;
  std::string text;
};

// In the order of the lines.
using Case = std::vector<CaseField>;

// The cases of a file, in order. Ends the program, with the file and the line, if it cannot be read or a line has
// another form: tests are instantiated from it before any test runs.
std::vector<Case> ReadCaseTable(const std::string& path);

// The files or folders "models/FAMILY/testdata/NAME" of all families that have one and are among the test's data,
// sorted.
std::vector<std::string> FamilyFiles(const std::string& name);

// The cases of these files. Ends the program if there are none.
std::vector<Case> ReadFamilyTables(const std::string& name);

// The texts of all fields of this name.
std::vector<std::string> Texts(const Case& fields, absl::string_view name);

// The text of the first field of this name; empty if there is none.
std::string Text(const Case& fields, absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_CASE_TABLE_H_
