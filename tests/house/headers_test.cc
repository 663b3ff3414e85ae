// Every header of the tools has a test beside it, which is a target or a file of a joined_test(), or a row in
// tests/house/header_tests.txt that names the test which covers it. No two headers define a type of one name, and no
// source of the tools includes a header of LibTorch with all operators.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/house/read_sources.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The rows "HEADER TEST" of `text`, but for comments.
std::map<std::string, std::string> Rows(const std::string& text) {
  std::map<std::string, std::string> rows;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (absl::StartsWith(line, "#")) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, ' ', absl::SkipEmpty());
    EXPECT_EQ(cells.size(), 2) << line;
    if (cells.size() == 2) rows[cells[0]] = cells[1];
  }
  return rows;
}

// "//common/io:writer_test" of "common/io/writer.h".
std::string TestBeside(absl::string_view header) {
  const size_t slash = header.rfind('/');
  return absl::StrCat("//", header.substr(0, slash), ":", absl::StripSuffix(header.substr(slash + 1), ".h"), "_test");
}

// What is wrong with the tests of `headers`, a line each. `tests` has the labels of all tests and of their sources.
std::vector<std::string> Problems(const std::vector<std::string>& headers, std::map<std::string, std::string> rows,
                                  const std::set<std::string>& tests) {
  std::vector<std::string> problems;
  for (const std::string& header : headers) {
    const std::string beside = TestBeside(header);
    const bool is_beside = tests.count(beside) > 0 || tests.count(beside + ".cc") > 0;
    const auto row = rows.find(header);
    if (row == rows.end()) {
      if (!is_beside) problems.push_back(absl::StrCat(header, ": has no test ", beside, " and no row"));
      continue;
    }
    if (is_beside) problems.push_back(absl::StrCat(header, ": has a test beside it; remove the row"));
    if (tests.count(row->second) == 0) problems.push_back(absl::StrCat(header, ": there is no test ", row->second));
    rows.erase(row);
  }
  for (const auto& [header, test] : rows) problems.push_back(absl::StrCat(header, ": there is no such header"));
  return problems;
}

TEST(HeadersTest, EachHasATest) {
  std::vector<std::string> headers;
  for (const std::string& path : SourcePaths()) {
    if (absl::EndsWith(path, ".h")) headers.push_back(path);
  }
  const std::set<std::string> tests = absl::StrSplit(ReadSource("tests/house/test_labels"), '\n', absl::SkipEmpty());
  EXPECT_THAT(Problems(headers, Rows(ReadSource("tests/house/header_tests.txt")), tests), IsEmpty());
}

TEST(HeadersTest, WhatIsMissingIsFound) {
  EXPECT_THAT(
      Problems({"a/b.h", "a/c.h", "a/d.h", "a/e.h", "a/g.h"},
               {{"a/c.h", "//a:b_test"}, {"a/d.h", "//a:none_test"}, {"a/b.h", "//a:b_test"}, {"a/f.h", "//a:b_test"}},
               {"//a:b_test", "//a:g_test.cc"}),
      ElementsAre("a/b.h: has a test beside it; remove the row", "a/d.h: there is no test //a:none_test",
                  "a/e.h: has no test //a:e_test and no row", "a/f.h: there is no such header"));
}

// The name of the type that `line` defines in a namespace: "Fact" of "struct Fact {"; "" for other lines.
std::string DefinedType(absl::string_view line) {
  for (const absl::string_view kind : {"struct ", "enum class ", "class "}) {
    if (!absl::ConsumePrefix(&line, kind)) continue;
    const size_t end = line.find_first_of(" :{;");
    // Not a part of a class: "struct Expression::Node {".
    const bool is_whole = end != line.npos && !absl::StartsWith(line.substr(end), "::");
    return is_whole && absl::StrContains(line, "{") ? std::string(line.substr(0, end)) : "";
  }
  return "";
}

// The types that several headers define, with these headers. `texts` has the headers by their paths.
std::vector<std::string> TypesOfTwoHeaders(const std::map<std::string, std::string>& texts) {
  std::map<std::string, std::set<std::string>> headers;
  for (const auto& [path, text] : texts) {
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      if (const std::string type = DefinedType(line); !type.empty()) headers[type].insert(path);
    }
  }
  std::vector<std::string> several;
  for (const auto& [type, paths] : headers) {
    if (paths.size() > 1) several.push_back(absl::StrCat(type, ": ", absl::StrJoin(paths, ", ")));
  }
  return several;
}

// A program that links both would use the functions of one for the objects of the other.
TEST(HeadersTest, ATypeHasOneDefinition) {
  std::map<std::string, std::string> texts;
  for (const std::string& path : SourcePaths()) {
    if (absl::EndsWith(path, ".h")) texts[path] = ReadSource(path);
  }
  EXPECT_THAT(TypesOfTwoHeaders(texts), IsEmpty());
}

TEST(HeadersTest, TwoDefinitionsAreFound) {
  EXPECT_THAT(TypesOfTwoHeaders({{"a.h", "struct A {\nclass B;\n  struct Inner {\nenum class C { kOne };\n"},
                                 {"b.h", "struct A : Base {\nclass B {\n  struct Inner {\nstruct A::B {\n"},
                                 {"c.h", "enum class C {\n"}}),
              ElementsAre("A: a.h, b.h", "C: a.h, c.h"));
}

// The headers of LibTorch with all operators that `code` includes. Each costs a compilation 5 s and more.
std::vector<std::string> AllOperators(const std::string& code) {
  std::vector<std::string> headers;
  for (const char* const header :
       {"ATen/ATen.h", "ATen/Functions.h", "torch/all.h", "torch/script.h", "torch/torch.h"}) {
    if (absl::StrContains(code, absl::StrCat("#include <", header, ">"))) headers.push_back(header);
  }
  return headers;
}

TEST(HeadersTest, NoSourceIncludesAllOperators) {
  for (const std::string& path : SourcePaths()) {
    EXPECT_THAT(AllOperators(ReadSource(path)), IsEmpty()) << path << ": include <ATen/ops/NAME.h> of each at::NAME";
  }
}

TEST(HeadersTest, AllOperatorsAreFound) {
  EXPECT_THAT(AllOperators("#include <ATen/Functions.h>\n#include <ATen/ops/ones.h>\n#include <torch/script.h>\n"),
              ElementsAre("ATen/Functions.h", "torch/script.h"));
}

}  // namespace
}  // namespace modelport
