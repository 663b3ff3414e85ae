// Checks that docs/layers.md lists every module type and function of the families `layers` and `nuke`.
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
#include "models/embedded_plugins.h"
#include "registry/link_plugins.h"
#include "registry/plugin.h"
#include "registry/plugin_folder.h"

namespace modelport {
namespace {

constexpr char kPage[] = "docs/layers.md";

constexpr char kIntroduction[] = R"(# Shared layers

A plugin with `uses: [layers, nuke]` in its plugin.yaml can use these module types in `children` and these functions in its methods.
`layers` has the layers that models share, `nuke` those that wrappers for Nuke share. This page is made from `models/layers/*.yaml` and
`targets/nuke/*.yaml`; if it is out of date, `//registry:layers_page_test` fails and prints the new page.
)";

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
      LinkPlugins(GroupByFolder(EmbeddedPlugins()), {});
  EXPECT_OK(plugins);
  std::string text;
  for (const auto& plugin : *plugins) {
    if (plugin->family != family) continue;
    for (const PluginFolder& folder : GroupByFolder(EmbeddedPlugins())) {
      if (folder.path != plugin->path) continue;
      for (const YamlFile* file : folder.modules_files()) text += Section(*plugin->library, file->path);
    }
  }
  EXPECT_NE(text, "") << "no family " << family;
  return text;
}

TEST(LayersPageTest, ListsEverySharedTypeAndFunction) {
  const std::string page = absl::StrCat(kIntroduction, Sections("layers"), Sections("nuke"));
  std::ifstream stream(kPage);
  const std::string found(std::istreambuf_iterator<char>(stream), {});
  EXPECT_TRUE(found == page) << kPage << " is not up to date; it must be:\n" << page;
}

}  // namespace
}  // namespace modelport
