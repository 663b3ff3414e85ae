#include "tests/support/case_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/match.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Die(const std::string& path, int line, const char* problem) {
  std::fprintf(stderr, "%s:%d: %s\n", path.c_str(), line, problem);
  std::exit(1);
}

// Whether `line` has a field; then it is cut into `field`.
bool Cut(const std::string& line, CaseField& field) {
  const bool is_change = absl::StartsWith(line, "- ") || absl::StartsWith(line, "+ ");
  const size_t end = is_change ? 1 : line.find(": ");
  if (end == std::string::npos) return false;
  field = {line.substr(0, end), line.substr(end + (is_change ? 1 : 2))};
  return true;
}

}  // namespace

std::vector<Case> ReadCaseTable(const std::string& path) {
  std::ifstream stream(path);
  if (!stream.is_open()) Die(path, 1, "cannot be opened; name it in the test's data");
  std::vector<Case> cases;
  bool is_new = true;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (absl::StartsWith(line, "#")) continue;
    if (line.empty()) {
      is_new = true;
      continue;
    }
    CaseField field;
    if (!Cut(line, field)) Die(path, number, "wants FIELD: TEXT");
    if (is_new) cases.emplace_back();
    is_new = false;
    cases.back().push_back(field);
  }
  if (cases.empty()) Die(path, number, "has no cases");
  return cases;
}

std::vector<std::string> FamilyFiles(const std::string& name) {
  std::vector<std::string> paths;
  for (const fs::directory_entry& family : fs::directory_iterator("models")) {
    const fs::path path = family.path() / "testdata" / name;
    if (fs::exists(path)) paths.push_back(path.string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<Case> ReadFamilyTables(const std::string& name) {
  std::vector<Case> cases;
  for (const std::string& path : FamilyFiles(name)) {
    for (Case& fields : ReadCaseTable(path)) cases.push_back(std::move(fields));
  }
  if (cases.empty())
    Die("models/*/testdata/" + name, 1, "no family has it; name //models:NAME_table in the test's data");
  return cases;
}

std::vector<std::string> Texts(const Case& fields, absl::string_view name) {
  std::vector<std::string> texts;
  for (const CaseField& field : fields) {
    if (field.name == name) texts.push_back(field.text);
  }
  return texts;
}

std::string Text(const Case& fields, absl::string_view name) {
  const std::vector<std::string> texts = Texts(fields, name);
  return texts.empty() ? "" : texts.front();
}

}  // namespace modelport
