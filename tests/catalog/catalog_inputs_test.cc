// The table "What is made anew" of docs/catalog.md is what the actions of the exports read.
#include <algorithm>
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
#include "common/manifest/manifest_facts.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "registry/wrappers.h"
#include "tests/house/read_sources.h"

namespace modelport {
namespace {

using testing::Contains;
using testing::Each;
using testing::Not;
using testing::SizeIs;

using Families = std::set<std::string>;

// The family of "//models/FAMILY:VARIANT".
std::string FamilyOf(absl::string_view label) {
  const size_t begin = label.rfind('/') + 1;
  return std::string(label.substr(begin, label.find(':') - begin));
}

// The families whose exports read each file.
std::map<std::string, Families> ReadersOfFiles() {
  std::map<std::string, Families> readers;
  const std::string lines = ReadSource("tests/catalog/catalog_inputs.txt");
  for (const absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(' ', 1));
    readers[parts.at(1)].insert(FamilyOf(parts[0]));
  }
  return readers;
}

// The rows of a table of two columns below `heading`: "| `FILE` | a, b |" or "| `FILE` | none |".
std::map<std::string, std::string> Rows(absl::string_view document, absl::string_view heading) {
  std::map<std::string, std::string> rows;
  document.remove_prefix(std::min(document.find(heading), document.size()));
  for (absl::string_view line : absl::StrSplit(document, '\n')) {
    if (!absl::ConsumePrefix(&line, "| `") || !absl::ConsumeSuffix(&line, " |")) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, "` | ");
    if (cells.size() == 2) rows[cells[0]] = cells[1];
  }
  return rows;
}

TEST(CatalogInputsTest, TheTableSaysWhatIsMadeAnew) {
  const std::map<std::string, Families> readers = ReadersOfFiles();
  const std::map<std::string, std::string> rows = Rows(ReadSource("docs/catalog.md"), "## What is made anew");
  EXPECT_THAT(rows, SizeIs(11));
  for (const auto& [file, families] : rows) {
    const auto found = readers.find(file);
    EXPECT_EQ(families, found == readers.end() ? "none" : absl::StrJoin(found->second, ", ")) << file;
    EXPECT_FALSE(ReadSource(file).empty());
  }
}

bool IsProgram(const std::string& path) {
  return path == "tools/export/export_action" || absl::StartsWith(path, "../libtorch/") ||
         absl::StartsWith(path, "_solib_") || absl::StartsWith(path, "_middlemen/") ||
         absl::EndsWith(path, "/versions.bzl");
}

TEST(CatalogInputsTest, EveryVariantIsATargetInEachOfItsWrappers) {
  std::set<std::string> targets, wanted;
  const std::string lines = ReadSource("tests/catalog/catalog_inputs.txt");
  for (const absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    targets.emplace(line.substr(0, line.find(' ')));
  }
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  for (const CatalogEntry& entry : registry.catalog()) {
    const std::string label = absl::StrCat("//models/", entry.plugin->family, ":", entry.variant->name);
    wanted.insert(label);
    const std::vector<const Wrapper*> wrappers = WrappersOf(*entry.plugin, *entry.variant, "nuke");
    for (const Wrapper* wrapper : wrappers) {
      wanted.insert(ArtifactName(label + "_nuke", wrapper == wrappers.front() ? "" : wrapper->name));
    }
  }
  EXPECT_THAT(wanted, Contains(testing::EndsWith("_nuke_classes")));
  EXPECT_EQ(targets, wanted);
}

// published_checkpoints() binds a variant by both.
TEST(CatalogInputsTest, EveryFileOfAWholeDigestHasAnAddress) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  int digests = 0;
  for (const CatalogEntry& entry : registry.catalog()) {
    for (const PublishedFile& file : entry.variant->files) {
      if (file.sha256.size() < 64) continue;
      EXPECT_NE(file.url, "") << entry.variant->name << " " << file.name;
      ++digests;
    }
  }
  EXPECT_GT(digests, 50);
}

// Bazel reads the files of plugin.yaml line by line.
TEST(CatalogInputsTest, BazelFindsThePublishedFilesOfEveryVariant) {
  const std::string text = ReadSource("../plugin_catalog/published.txt");
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  std::vector<std::string> wanted;
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  for (const CatalogEntry& entry : registry.catalog()) {
    for (const PublishedFile& file : entry.variant->files) {
      std::vector<std::string> fields = {entry.variant->name};
      for (const std::string& field : {file.part, file.name, file.url, file.sha256}) {
        fields.push_back(field.empty() ? "-" : field);
      }
      wanted.push_back(absl::StrJoin(fields, " "));
    }
  }
  EXPECT_THAT(lines, testing::UnorderedElementsAreArray(wanted));
}

TEST(CatalogInputsTest, AnExportReadsPluginsWithTheirWeightsAndTheProgramOnly) {
  for (const auto& [file, families] : ReadersOfFiles()) {
    EXPECT_TRUE(IsProgram(file) || absl::EndsWith(file, ".yaml") || absl::EndsWith(file, ".safetensors")) << file;
    EXPECT_FALSE(absl::StrContains(file, "testdata")) << file;
  }
}

TEST(CatalogInputsTest, TheProgramHasNoPluginsAndNothingOfOtherTools) {
  const std::string lines = ReadSource("tests/catalog/export_action_sources.txt");
  const std::vector<std::string> sources = absl::StrSplit(lines, '\n', absl::SkipEmpty());
  EXPECT_THAT(sources, Contains("tools/export/export_action.cc"));
  EXPECT_THAT(sources, Contains("common/torchscript/script/compiler.cc"));
  EXPECT_THAT(sources, Not(Contains("tools/list/list.cc")));
  EXPECT_THAT(sources, Each(Not(testing::MatchesRegex("(models|docs|tests)/.*"))));
}

}  // namespace
}  // namespace modelport
