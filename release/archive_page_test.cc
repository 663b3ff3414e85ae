#include "release/archive_page.h"

#include <filesystem>
#include <regex>
#include <string>
#include <utility>

#include "common/io/mapped_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

std::string Text(const std::filesystem::path& path) { return std::string(MappedFile::Open(path).value()->bytes()); }

std::string Page(const std::string& text) {
  return ArchivePage(text, [](const std::string& path) { return path == "nuke.md" || path == "pictures/a.png"; });
}

TEST(ArchivePageTest, CommandsAreThoseOfTheProgram) {
  EXPECT_EQ(Page("    bazel run //tools:export -- --model=m      # one\n"),
            "    modelport export --model=m      # one\n");
  EXPECT_EQ(Page("`./bazelw run --config=onnx //tools:package -- --target=flame` and `//tools:list`\n"),
            "`modelport package --target=flame` and `modelport list`\n");
  EXPECT_EQ(Page("`examples/cpp` has it:\n\n    cmake -S examples/cpp -B build\n"),
            "`share/doc/modelport/examples/cpp` has it:\n\n    cmake -S share/doc/modelport/examples/cpp -B build\n");
  EXPECT_EQ(Page("`tools/reference/a.py` is one file.\n"), "`share/doc/modelport/reference/a.py` is one file.\n");
}

TEST(ArchivePageTest, WhatElseNamesBazelIsLeftOut) {
  EXPECT_EQ(Page("One thing. `bazel build //x` makes\nanother. A third.\n"), "One thing. A third.\n");
  EXPECT_EQ(Page("One.\n\n    bazel test //...\n\nTwo.\n"), "One.\n\nTwo.\n");
  EXPECT_EQ(Page("One. Run this:\n\n    bazel test //...\n\nTwo.\n"), "One.\n\nTwo.\n");
  EXPECT_EQ(Page("```\n# .bazelrc\n\nimport x\n```\n\n```\na\n\nb\n```\n"), "```\na\n\nb\n```\n");
  EXPECT_EQ(Page("| a | b |\n|---|---|\n| c | `bazel x` |\n| d | e |\n"), "| a | b |\n|---|---|\n| d | e |\n");
  EXPECT_EQ(Page("1. Run a.\n2. Run `bazel b`.\n3. Run c. With\n   `bazel d`: more. Or e.\n"),
            "1. Run a.\n2. Run c. Or e.\n");
  EXPECT_EQ(Page("a\n\n<!-- Bazel -->\n## b\n\nc\n<!-- /Bazel -->\n\nd\n"), "a\n\nd\n");
}

TEST(ArchivePageTest, SentencesOnTheSourcesAreLeftOut) {
  EXPECT_EQ(Page("One (`//tests/x:y_test`), two. `//x:y` is three.\nFour. `tests/check` is five.\n"),
            "One, two. Four.\n");
  EXPECT_EQ(Page("See https://e.org/a.\n\n    // code\n\n| a |\n|---|\n| `//x:y` |\n"),
            "See https://e.org/a.\n\n    // code\n\n| a |\n|---|\n| `//x:y` |\n");
  EXPECT_EQ(Page("| a | test |\n|:--|:--|\n| b | `//x:y` |\n| c | `d` |\n"), "| a |\n|:--|\n| b |\n| c |\n");
}

TEST(ArchivePageTest, LinksToFilesThatAreNotThereAreText) {
  EXPECT_EQ(Page("[a](nuke.md), [b](nuke.md#which-nuke), [c](catalog.md#x), [d](https://e.org/f), [g](#h), "
                 "![i](pictures/a.png)\n"),
            "[a](nuke.md), [b](nuke.md#which-nuke), c, [d](https://e.org/f), g, ![i](pictures/a.png)\n");
  EXPECT_EQ(Page("| a | [b](nuke.md) |\n| c | [d](catalog.md) |\n| e | [f](catalog.md), [g](nuke.md) |\n"),
            "| a | [b](nuke.md) |\n| e | f, [g](nuke.md) |\n");
}

TEST(ArchivePageTest, LinksToHeadingsThatAreNotThereAreText) {
  EXPECT_EQ(Page("[a](#one-more), [b](#two)\n\n# One more!\n\n<!-- Bazel -->\n# Two\n<!-- /Bazel -->\n"),
            "[a](#one-more), b\n\n# One more!\n");
}

TEST(ArchivePageTest, PagesOfAnArchiveSpeakOfTheProgramAndHaveNoDeadLink) {
  const std::regex link(R"(\]\(([^()\s#:]+)(#[^()\s]*)?\))");
  const std::regex example(R"(share/doc/modelport/(examples/[\w/.]*\w))");
  int pages = 0, links = 0, examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator("release/pages")) {
    const std::string text = Text(entry.path());
    EXPECT_THAT(text, Not(AnyOf(HasSubstr("bazel"), HasSubstr("Bazel"), HasSubstr("(`//"), HasSubstr("\n`//"),
                                HasSubstr("\n`tests/"))))
        << entry.path();
    ++pages;
    for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found) {
      const std::string path = (*found)[1];
      const std::string folder = path.find('/') == path.npos ? "release/pages/" : "docs/";
      EXPECT_TRUE(std::filesystem::exists(folder + path)) << entry.path() << " " << path;
      ++links;
    }
    for (std::sregex_iterator found(text.begin(), text.end(), example), end; found != end; ++found) {
      EXPECT_TRUE(std::filesystem::exists((*found)[1].str())) << entry.path() << " " << found->str();
      ++examples;
    }
  }
  EXPECT_GT(examples, 3);
  EXPECT_GT(pages, 15);
  EXPECT_GT(links, 50);
  const std::string readme = Text("release/README.md");
  EXPECT_THAT(readme, Not(HasSubstr("bazel")));
  const std::regex page(R"(share/doc/modelport/(\w+\.md))"), picture(R"(share/doc/modelport/(pictures/\w+\.png))");
  for (const auto& [pattern, folder] : {std::pair(&page, "release/pages/"), std::pair(&picture, "docs/")}) {
    std::sregex_iterator found(readme.begin(), readme.end(), *pattern), end;
    EXPECT_NE(found, end);
    for (; found != end; ++found) EXPECT_TRUE(std::filesystem::exists(folder + (*found)[1].str())) << found->str();
  }
}

}  // namespace
}  // namespace modelport
