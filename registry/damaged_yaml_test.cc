// Parses a plugin's files cut off and with bytes changed at every third place. The parsers must return, with any
// status, and the schemas must take what the parsers take.
#include <string>

#include "common/keymap/key_map.h"
#include "common/module_tree/check_types.h"
#include "common/module_tree/module_library.h"
#include "common/status/status_macros.h"
#include "common/yaml/testing/schema_errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/parse_plugin.h"
#include "registry/plugin_folder.h"

namespace modelport {
namespace {

using ::testing::IsEmpty;

absl::Status Parse(const YamlFile& file) {
  if (FileName(file) == "plugin.yaml") return ParsePlugin(file).status();
  if (FileName(file) == "keymap.yaml") return ParseKeyMap(file).status();
  ModuleLibrary library;
  RETURN_IF_ERROR(library.AddFile(file));
  return CheckTypes(library, [](absl::string_view) { return std::string(); });
}

void ParseAsItsName(const YamlFile& file) {
  if (!Parse(file).ok()) return;
  EXPECT_THAT(SchemaErrors(file), IsEmpty()) << file.text;
}

class DamagedYamlTest : public testing::TestWithParam<std::string> {
 protected:
  DamagedYamlTest() {
    for (const PluginFolder& folder : GroupByFolder(BuiltInPlugins().value())) {
      const YamlFile* file = folder.path == "models/dinov2" ? folder.Find(GetParam()) : nullptr;
      if (file != nullptr) file_ = *file;
    }
  }

  YamlFile file_;
};

TEST_P(DamagedYamlTest, CutAnywhere) {
  ASSERT_FALSE(file_.text.empty());
  for (size_t size = 0; size < file_.text.size(); size += 3) {
    ParseAsItsName({file_.path, file_.text.substr(0, size)});
  }
}

TEST_P(DamagedYamlTest, AnyByteChanged) {
  const std::string special = "{}[]:,-&*!|>'\"%@`#\t\n (\xff";
  for (size_t i = 0; i < file_.text.size(); i += 3) {
    std::string text = file_.text;
    text[i] = special[i % special.size()];
    ParseAsItsName({file_.path, text});
  }
}

INSTANTIATE_TEST_SUITE_P(All, DamagedYamlTest, testing::Values("plugin.yaml", "keymap.yaml", "modules.yaml"),
                         [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

}  // namespace
}  // namespace modelport
