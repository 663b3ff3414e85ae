// Checks that docs/layers.md lists every module type and function of the families `layers` and `nuke`, and
// docs/transforms.md those of `transforms`: a section for each file, which ends the page.
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/module_tree/module_library.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/link_plugins.h"
#include "registry/plugin.h"
#include "registry/plugin_folder.h"

namespace modelport {
namespace {

std::string SignatureText(const Signature& signature) {
  const auto format = [](std::string* out, const Signature::Argument& argument) {
    absl::StrAppend(out, argument.name);
    if (argument.fallback.has_value()) absl::StrAppend(out, "=", argument.fallback->text());
  };
  return absl::StrCat(signature.name, "(", absl::StrJoin(signature.arguments, ", ", format), ")");
}

// "`f(x: Tensor) -> Tensor`" for each function or method that the text defines.
std::vector<std::string> Definitions(const SourceText& source) {
  std::vector<std::string> definitions;
  for (absl::string_view line : absl::StrSplit(source.text, '\n')) {
    if (!absl::ConsumePrefix(&line, "def ")) continue;
    absl::ConsumeSuffix(&line, ":");
    definitions.push_back(absl::StrCat("`", absl::StrReplaceAll(line, {{"(self, ", "("}, {"(self)", "()"}}), "`"));
  }
  return definitions;
}

// The section of one file.
std::string Section(const ModuleLibrary& library, const std::string& file) {
  std::string text = absl::StrCat("\n## ", file, "\n");
  bool has_types = false;
  for (const auto& type : library.own_types()) {
    if (type->mark.file != file) continue;
    if (!has_types) absl::StrAppend(&text, "\n| module type | methods | ports |\n|:--|:--|:--|\n");
    has_types = true;
    absl::StrAppend(&text, "| `", SignatureText(type->signature), "` | ",
                    absl::StrJoin(Definitions(type->methods), "<br>"), " | ", type->upstream, " |\n");
  }
  std::string functions;
  for (const SourceText& source : library.functions()) {
    if (source.file != file) continue;
    for (const std::string& definition : Definitions(source)) absl::StrAppend(&functions, "- ", definition, "\n");
  }
  return functions.empty() ? text : absl::StrCat(text, "\nFunctions:\n\n", functions);
}

// The sections of the files of one family.
std::string Sections(const std::string& family) {
  const absl::StatusOr<std::vector<std::unique_ptr<const Plugin>>> plugins =
      LinkPlugins(GroupByFolder(BuiltInPlugins().value()), {});
  EXPECT_OK(plugins);
  std::string text;
  for (const auto& plugin : *plugins) {
    if (plugin->family != family) continue;
    for (const PluginFolder& folder : GroupByFolder(BuiltInPlugins().value())) {
      if (folder.path != plugin->path) continue;
      for (const YamlFile* file : folder.modules_files()) text += Section(*plugin->library, file->path);
    }
  }
  EXPECT_NE(text, "") << "no family " << family;
  return text;
}

// What stands above the first section of a file is written by hand.
void ExpectSections(const std::string& path, const std::string& sections) {
  std::ifstream stream(path);
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  const std::string first = sections.substr(0, sections.find('\n', 1) + 1);
  const size_t begin = page.find(first);
  ASSERT_NE(begin, page.npos) << path << " lacks the section" << first;
  const std::string made = absl::StrCat(page.substr(0, begin), sections);
  EXPECT_TRUE(page == made) << path << " is out of date; write\n" << made;
}

TEST(LayersPageTest, ListsEverySharedTypeAndFunction) {
  ExpectSections("docs/layers.md", Sections("layers") + Sections("nuke"));
}

TEST(TransformsPageTest, ListsEveryTransform) { ExpectSections("docs/transforms.md", Sections("transforms")); }

}  // namespace
}  // namespace modelport
