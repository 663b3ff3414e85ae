// The commands of docs/porting.md print what the page shows, and the messages that its tables name exist.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/goldens/golden_case.h"
#include "tests/house/read_sources.h"
#include "tests/support/examples.h"
#include "tests/support/layout_file.h"
#include "tests/support/reference_file.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// The text in fences.
std::vector<std::string> Blocks(const std::string& page) {
  const std::vector<std::string> pieces = absl::StrSplit(page, "```");
  std::vector<std::string> blocks;
  for (size_t i = 1; i < pieces.size(); i += 2) blocks.push_back(pieces[i]);
  return blocks;
}

// A command and the lines that it prints.
struct Step {
  std::string command, output;
};

std::vector<Step> Steps(const std::string& block) {
  std::vector<Step> steps;
  for (absl::string_view line : absl::StrSplit(block, '\n')) {
    if (absl::ConsumePrefix(&line, "$ ")) {
      steps.push_back({std::string(line), ""});
    } else if (!steps.empty() && !line.empty()) {
      absl::StrAppend(&steps.back().output, line, "\n");
    }
  }
  return steps;
}

// The output without empty lines, which end a step's as well.
std::string WithoutEmptyLines(const std::string& text) {
  std::string lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!line.empty()) absl::StrAppend(&lines, line, "\n");
  }
  return lines;
}

// Expects `text` to be `shown`, in which "..." stands for any text.
void ExpectShown(absl::string_view text, const std::string& shown, const std::string& command) {
  const std::vector<std::string> pieces = absl::StrSplit(shown, "...");
  EXPECT_TRUE(absl::StartsWith(text, pieces.front())) << command << "\n" << text;
  EXPECT_TRUE(absl::EndsWith(text, pieces.back() == "\n" ? "" : pieces.back())) << command << "\n" << text;
  size_t begin = 0;
  for (const std::string& piece : pieces) {
    const absl::string_view wanted = absl::StripTrailingAsciiWhitespace(piece);
    const size_t found = text.find(wanted, begin);
    ASSERT_NE(found, text.npos) << command << "\n" << wanted << "\nis not in\n" << text.substr(begin);
    begin = found + wanted.size();
  }
}

class PortingTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ + "/plugins/vit");
    for (const std::string& block : Blocks(page_)) {
      absl::string_view text = block;
      if (!absl::ConsumePrefix(&text, "yaml\n# ")) continue;
      std::ofstream(folder_ + "/" + std::string(text.substr(0, text.find('\n')))) << "# " << text;
    }
    fs::copy_file(LayoutFile("transformers", ExampleModel("features")), folder_ + "/model.safetensors");
    auto golden = ReadGoldenCase(ExampleGoldens("features") + "/56x56_b1.json");
    ASSERT_OK(golden);
    std::ofstream(folder_ + "/golden.safetensors", std::ios::binary) << ReferenceBytes(
        "vit_tiny", {{"input.x", golden->input()}, {"output", golden->tensors.at("x_norm_clstoken")}});
  }

  // What the command prints in the folder.
  std::string Run(const std::string& command) {
    const std::string tools = DataPath("tools");
    const std::string line = absl::StrReplaceAll(
        std::regex_replace(command, std::regex("bazel run //tools:(\\w+)"), tools + "/$1/$1"), {{" -- ", " "}});
    const std::string out = folder_ + "/out";
    EXPECT_NE(std::system(absl::StrCat("cd '", folder_, "' && { ", line, "; } > out 2>&1").c_str()), -1);
    return ReadFile(out);
  }

  const std::string page_ = ReadFile("docs/porting.md");
  const std::string folder_ = EmptyFolder("porting");
};

TEST_F(PortingTest, TheCommandsPrintWhatThePageShows) {
  int steps = 0;
  for (const std::string& block : Blocks(page_)) {
    for (const Step& step : Steps(block)) {
      ExpectShown(WithoutEmptyLines(Run(step.command)), step.output, step.command);
      ++steps;
    }
  }
  EXPECT_EQ(steps, 9);
}

// The texts in the first column of the tables "you see". Brackets there stand for any shape.
std::vector<std::string> Symptoms(const std::string& page) {
  std::vector<std::string> symptoms;
  bool in_table = false;
  for (absl::string_view line : absl::StrSplit(page, '\n')) {
    if (!absl::StartsWith(line, "|")) in_table = false;
    if (absl::StartsWith(line, "| you see |")) in_table = true;
    if (!in_table || !absl::ConsumePrefix(&line, "| `")) continue;
    const std::string cell(line.substr(0, line.find('|')));
    const std::vector<std::string> quoted = absl::StrSplit("`" + cell, '`');
    for (size_t i = 1; i < quoted.size(); i += 2) {
      for (absl::string_view piece :
           absl::StrSplit(std::regex_replace(quoted[i], std::regex("\\[[^\\]]*\\]"), "\n"), '\n')) {
        if (!piece.empty()) symptoms.emplace_back(piece);
      }
    }
  }
  return symptoms;
}

TEST_F(PortingTest, TheMessagesOfTheTablesAreThoseOfTheTools) {
  std::string sources;
  for (const std::string& path : SourcePaths()) sources += ReadSource(path);
  const std::vector<std::string> symptoms = Symptoms(page_);
  EXPECT_THAT(symptoms, SizeIs(Gt(15)));
  EXPECT_THAT(symptoms, Contains(", has "));
  for (const std::string& symptom : symptoms) {
    EXPECT_TRUE(absl::StrContains(sources, symptom)) << "no source prints \"" << symptom << "\"";
  }
}

}  // namespace
}  // namespace modelport
