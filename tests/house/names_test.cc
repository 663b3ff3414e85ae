// No code in common/ and tests/ names a model or a family of the plugins: models are data, which tables have. No code
// outside targets/ names a host that has a folder there.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/house/read_sources.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Files of these kinds are code, and so are scripts, whose names have no dot. All others, those for Bazel among them,
// may be tables of models.
constexpr const char* kCode[] = {".cc", ".h", ".proto", ".py", ".sh"};

bool IsCode(const std::string& path) {
  if (path.find('.', path.rfind('/') + 1) == std::string::npos) return true;
  return std::any_of(std::begin(kCode), std::end(kCode), [&](const char* end) { return absl::EndsWith(path, end); });
}

// The variants of all plugins and of those for tests, their families and their roots.
absl::StatusOr<std::set<std::string>> ModelNames() {
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  std::set<std::string> names;
  for (const CatalogEntry& entry : registry.catalog()) {
    names.insert(entry.variant->name);
    names.insert(entry.plugin->family);
    names.insert(entry.variant->module.type);
  }
  return names;
}

// "FILE:LINE: names WORD; CURE" for each word of `text` that is one of `names`.
std::vector<std::string> FindWords(const std::string& path, absl::string_view text, const std::set<std::string>& names,
                                   absl::string_view cure) {
  std::vector<std::string> found;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    std::string words(line);
    for (char& c : words) {
      if (!absl::ascii_isalnum(c) && c != '_') c = ' ';
    }
    for (const absl::string_view word : absl::StrSplit(words, ' ', absl::SkipEmpty())) {
      if (names.count(std::string(word)) == 0) continue;
      found.push_back(absl::StrCat(path, ":", number, ": names ", word, "; ", cure));
    }
  }
  return found;
}

// The same of the names of models.
std::vector<std::string> FindNames(const std::string& path, absl::string_view text,
                                   const std::set<std::string>& names) {
  return FindWords(path, text, names,
                   "take a model of tests/support/examples.txt, put it into a table, ask the plugins for what the test "
                   "needs, or move a family's own test to models/FAMILY/tests");
}

TEST(NamesTest, NoCodeNamesAModel) {
  ASSERT_OK_AND_ASSIGN(const std::set<std::string> names, ModelNames());
  ASSERT_THAT(names, SizeIs(testing::Gt(100)));
  int files = 0;
  for (const std::string& path : SourcePaths("tests/house/test_code.txt")) {
    if (!absl::StartsWith(path, "common/") && !absl::StartsWith(path, "tests/")) continue;
    if (!IsCode(path)) continue;
    EXPECT_THAT(FindNames(path, ReadSource(path), names), IsEmpty());
    ++files;
  }
  EXPECT_GT(files, 500);
}

TEST(NamesTest, OnlyItsOwnFolderNamesAHost) {
  int files = 0;
  for (const std::string& path : SourcePaths()) {
    if (absl::StartsWith(path, "targets/")) continue;
    const std::string text = absl::AsciiStrToLower(ReadSource(path));
    for (const Target* target : Targets()) {
      if (target->wrappers != target->name) continue;
      const size_t place = text.find(target->name);
      const auto line = 1 + std::count(text.begin(), text.begin() + std::min(place, text.size()), '\n');
      EXPECT_EQ(place, text.npos) << path << ":" << line << ": names " << target->name
                                  << "; ask its Target, targets/target/target.h, for what the code needs";
    }
    ++files;
  }
  EXPECT_GT(files, 300);
}

// CONTRIBUTING.md has the words. What these rooms do with tensors and images needs another one.
TEST(NamesTest, ALayoutIsOfKeys) {
  int files = 0;
  for (const std::string& path : SourcePaths()) {
    if (!absl::StartsWith(path, "artifact/format/") && !absl::StartsWith(path, "common/torchscript/") &&
        !absl::StartsWith(path, "tools/image/")) {
      continue;
    }
    std::string code = ReadSource(path);
    for (const char* of_libtorch : {"prim::layout", ".layout()", "of layout \""}) {
      code = absl::StrReplaceAll(code, {{of_libtorch, ""}});
    }
    EXPECT_THAT(FindWords(path, code, {"layout", "layouts", "Layout"}, "a layout is how a file names keys"), IsEmpty());
    ++files;
  }
  EXPECT_GT(files, 100);
}

TEST(NamesTest, ANameIsAWholeWord) {
  const std::set<std::string> names = {"net", "net_large"};
  EXPECT_THAT(FindNames("a.cc", "netting net_small\n\"--model=net_large\"\n", names),
              ElementsAre(testing::StartsWith("a.cc:2: names net_large; ")));
  EXPECT_TRUE(IsCode("tests/a.cc"));
  EXPECT_TRUE(IsCode("tests/house/a_script"));
  EXPECT_FALSE(IsCode("tests/a.txt"));
}

}  // namespace
}  // namespace modelport
