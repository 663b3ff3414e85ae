// Only a few files of the tools, the doors, may throw or catch exceptions. No other file calls functions that throw.
#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/house/read_sources.h"

namespace modelport {
namespace {

using ::testing::Contains;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A pattern of code that throws or catches.
struct Rule {
  std::string pattern;
  std::string cure;
  std::vector<std::string> doors;  // The files that may contain it.
};

const std::vector<Rule>& Rules() {
  static const auto* rules = new std::vector<Rule>{
      {"\\b(try|catch)\\b",
       "call LibTorch through CatchTorch",
       {"tools/image/decode.cc", "common/torchscript/script/torch_status.h", "common/status/catch_exceptions.cc",
        "common/yaml/parse.cc"}},
      // These throw within a call of LibTorch's compiler or yaml-cpp, whose caller is a door.
      {"\\bthrow\\b",
       "return a status",
       {"common/torchscript/script/plugin_resolver.cc", "common/torchscript/script/compiler.cc",
        "common/yaml/parse.cc"}},
      {"\\bsto(i|l|ll|ul|ull|f|d|ld)\\(", "use absl::SimpleAtoi or SimpleAtod", {}},
      {"\\bstd::regex\\b", "match by hand: std::regex throws and exhausts the stack", {}},
      {"\\.at\\(", "use find, or [] on an index that was checked", {}},
      {"\\bstd::get<[A-Za-z]", "use std::get_if", {}},
      // There with allow_exceptions=false.
      {"\\b[Jj]son::parse\\(",
       "parse with a SAX handler, which reports errors",
       {"common/checkpoint/model_config.cc", "common/torchscript/parity/reference.cc",
        "artifact/signature/signature.cc"}},
      {"\\bfor \\([^;]*directory_iterator\\(", "step with increment(error)", {}},
      {"\\bfs::(absolute|canonical|copy|copy_file|create_directories|create_directory|current_path|exists|file_size|"
       "is_directory|is_regular_file|last_write_time|remove|remove_all|rename|resize_file|status)\\((?![^;]*error)",
       "pass a std::error_code",
       {}},
  };
  return *rules;
}

// The code without its comments and its string literals.
std::string WithoutTexts(const std::string& code) {
  static const auto* comment_or_text = new std::regex("//[^\n]*|\"(?:[^\"\\\\\n]|\\\\.)*\"");
  return std::regex_replace(code, *comment_or_text, "\"\"");
}

// "FILE:LINE: CODE; CURE" for every line that breaks a rule.
std::vector<std::string> Violations(const std::string& path, const std::string& code) {
  std::vector<std::string> violations;
  const std::string bare = WithoutTexts(code);
  for (const Rule& rule : Rules()) {
    if (std::find(rule.doors.begin(), rule.doors.end(), path) != rule.doors.end()) continue;
    const std::regex pattern(rule.pattern);
    for (std::sregex_iterator match(bare.begin(), bare.end(), pattern), end; match != end; ++match) {
      const auto line = 1 + std::count(bare.begin(), bare.begin() + match->position(), '\n');
      violations.push_back(absl::StrCat(path, ":", line, ": ", match->str(), "; ", rule.cure));
    }
  }
  return violations;
}

TEST(ExceptionsTest, StayBehindTheirDoors) {
  const std::vector<std::string> paths = SourcePaths();
  EXPECT_THAT(paths, SizeIs(Gt(200)));
  EXPECT_THAT(paths, Contains("artifact/export/export_model.cc"));
  for (const Rule& rule : Rules()) {
    for (const std::string& door : rule.doors) EXPECT_THAT(paths, Contains(door));
  }
  for (const std::string& path : paths) EXPECT_THAT(Violations(path, ReadSource(path)), IsEmpty());
}

TEST(ExceptionsTest, ARuleFindsWhatItIsFor) {
  for (const char* code :
       {"try {", "} catch (const std::exception& error) {", "throw std::runtime_error(\"x\");", "std::stoi(text)",
        "const std::regex pattern;", "map.at(key)", "std::get<int64_t>(value)", "nlohmann::json::parse(text)",
        "for (const auto& entry : fs::directory_iterator(path, error)) {", "fs::exists(path);",
        "return fs::file_size(path / name);"}) {
    EXPECT_THAT(Violations("a.cc", code), SizeIs(1)) << code;
  }
  for (const char* code : {"// try that", "\"catch \\\" try\"", "std::get<0>(pair)", "at::empty(3)", "retry(catches)",
                           "fs::exists(path, error);", "fs::is_regular_file(path / std::string(name), error);"}) {
    EXPECT_THAT(Violations("a.cc", code), IsEmpty()) << code;
  }
  EXPECT_THAT(Violations("a.cc", "int a;\n\nint b = std::stoi(c);")[0], HasSubstr("a.cc:3: stoi("));
}

}  // namespace
}  // namespace modelport
