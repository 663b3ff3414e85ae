#include "tests/examples.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/case_table.h"
#include "tests/tool_process.h"

namespace modelport {
namespace {

// The field `name` of the case for `need`.
std::string Find(absl::string_view need, absl::string_view name) {
  static const auto* const table = new std::vector<Case>(ReadCaseTable(DataPath("tests/examples.txt")));
  for (const Case& fields : *table) {
    if (Text(fields, "need") == need) return Text(fields, name);
  }
  std::fprintf(stderr, "tests/examples.txt: has no need %s\n", std::string(need).c_str());
  std::exit(1);
}

}  // namespace

std::string ExampleModel(absl::string_view need) { return Find(need, "model"); }

std::string ExampleFamily(absl::string_view need) { return Find(need, "family"); }

std::string ExampleModule(absl::string_view need) { return Find(need, "module"); }

}  // namespace modelport
