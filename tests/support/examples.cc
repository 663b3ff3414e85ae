#include "tests/support/examples.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/case_table.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

// The field `name` of the case for `need`.
std::string Find(absl::string_view need, absl::string_view name) {
  static const auto* const table = new std::vector<Case>(ReadCaseTable(DataPath("tests/support/examples.txt")));
  for (const Case& fields : *table) {
    if (Text(fields, "need") == need) return Text(fields, name);
  }
  std::fprintf(stderr, "tests/support/examples.txt: has no need %s\n", std::string(need).c_str());
  std::exit(1);
}

}  // namespace

std::string ExampleModel(absl::string_view need) { return Find(need, "model"); }

std::string ExampleFamily(absl::string_view need) { return Find(need, "family"); }

std::string ExampleGoldens(absl::string_view need) {
  return DataPath(absl::StrCat("models/", ExampleFamily(need), "/testdata/goldens/", ExampleModel(need)));
}

std::string ExampleModule(absl::string_view need) { return Find(need, "module"); }

std::string ExamplePlugins(const std::vector<std::string>& needs) {
  std::string flag;
  for (const std::string& need : needs) {
    const std::string stated = Find(need, "plugin");
    const std::string folder = stated.empty() ? absl::StrCat("models/", ExampleFamily(need), "/testdata") : stated;
    absl::StrAppend(&flag, flag.empty() ? "--plugin_path=" : ",", DataPath(folder));
  }
  return flag;
}

}  // namespace modelport
