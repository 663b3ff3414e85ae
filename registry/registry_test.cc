#include "registry/registry.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/io/input_record.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace fs = std::filesystem;

constexpr auto kNotFound = absl::StatusCode::kNotFound;

// An empty folder of the test at hand.
fs::path TestFolder() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  const fs::path folder = fs::path(testing::TempDir()) / info->name();
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

void Write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

constexpr char kToyPlugin[] = R"yaml(family: toy
summary: s
upstream: {source: x, commit: y, licence: MIT}
uses: [layers]
examples: ["forward([1, 3])"]
preprocessing: {mean: [0, 0, 0], std: [1, 1, 1]}
variants:
  toy_a: {summary: s, module: "Linear(3, 4)", file: f.pth, url: u, licence: MIT}
)yaml";
constexpr char kToyKeyMap[] = "layouts: {original: {recognise: [weight]}}\n";

// An output may not replace them.
TEST(RegistryTest, TheFilesThatItWasReadFromAreInputs) {
  const fs::path folder = TestFolder();
  Write(folder / "toy" / "plugin.yaml", kToyPlugin);
  Write(folder / "toy" / "keymap.yaml", kToyKeyMap);
  Write(folder / "toy" / "README.md", "text");
  const InputRecord record;
  ASSERT_OK(Registry::Load(BuiltInPlugins(), {folder}));
  EXPECT_FALSE(CheckReplacesNoInput(folder / "toy" / "plugin.yaml").ok());
  EXPECT_FALSE(CheckReplacesNoInput(folder / "toy" / "keymap.yaml").ok());
  EXPECT_OK(CheckReplacesNoInput(folder / "toy" / "README.md"));
}

TEST(RegistryTest, EmbeddedVariantsComeByFamilyAndInFileOrder) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  std::vector<std::string> families, dinov2;
  for (const CatalogEntry& entry : registry.catalog()) {
    families.push_back(entry.plugin->family);
    if (entry.plugin->family == "dinov2") dinov2.push_back(entry.variant->name);
  }
  EXPECT_TRUE(std::is_sorted(families.begin(), families.end()));
  EXPECT_EQ(dinov2.front(), "dinov2_vits14");
  EXPECT_EQ(dinov2.back(), "dinov2_vitg14_reg");
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("dinov2_vits14"));
  EXPECT_EQ(entry.plugin->path, "models/dinov2");
  EXPECT_EQ(entry.variant->module.type, "DinoVisionTransformer");
}

TEST(RegistryTest, AnUnknownModelNamesTheNearest) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  EXPECT_THAT(registry.Find("dav2_vit"),
              StatusIs(kNotFound,
                       "unknown model \"dav2_vit\"; nearest: dav2_vits, dav2_vitb, dav2_vitl\n"
                       "  --plugin_path=FOLDER adds the plugins that are not built in"));
  EXPECT_THAT(registry.Find("inception"), StatusIs(kNotFound, AllOf(StartsWith("unknown model \"inception\"; known: "),
                                                                    HasSubstr(" more\n  --plugin_path="))));
}

TEST(RegistryTest, OneFamilyIsARegistryOfItsModels) {
  const absl::StatusOr<Registry> registry = Registry::Load(BuiltInPlugins(), {});
  ASSERT_OK(registry.status());
  ASSERT_OK_AND_ASSIGN(const Registry dinov2, registry->Only("dinov2"));
  ASSERT_OK(dinov2.Find("dinov2_vits14"));
  EXPECT_EQ(dinov2.Find("dinov2_vits14")->variant, registry->Find("dinov2_vits14")->variant);
  EXPECT_FALSE(dinov2.Find("resnet18").ok());
  EXPECT_THAT(registry->Only("dinov").status(),
              StatusIs(kNotFound, StartsWith("unknown family \"dinov\"; nearest: dinov2")));
}

TEST(RegistryTest, APluginPathIsAPluginOrAFolderSomewhereAboveIt) {
  const fs::path folder = TestFolder();
  Write(folder / "toy/plugin.yaml", kToyPlugin);
  Write(folder / "toy/keymap.yaml", kToyKeyMap);
  Write(folder / "toy/notes.txt", "not a file of the plugin");
  Write(folder / "other/readme.txt", "not a plugin");
  for (const fs::path& path : {folder, folder / "toy"}) {
    ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {path.string()}));
    EXPECT_OK(registry.Find("toy_a"));
    EXPECT_OK(registry.Find("dinov2_vits14"));
  }
}

TEST(RegistryTest, APluginPathReplacesAnEmbeddedFamily) {
  const fs::path folder = TestFolder();
  Write(folder / "plugin.yaml", "family: layers\nsummary: s\nupstream: {source: x, commit: y, licence: MIT}\n");
  EXPECT_THAT(Registry::Load(BuiltInPlugins(), {folder.string()}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("unknown module type \"PatchEmbed\"")));
}

TEST(RegistryTest, ProblemsOfAPluginPathNameTheFileAsGiven) {
  const fs::path folder = TestFolder();
  Write(folder / "plugin.yaml", kToyPlugin);
  Write(folder / "keymap.yaml", "layouts: {original: {recognise: []}}\n");
  EXPECT_THAT(Registry::Load(BuiltInPlugins(), {folder.string()}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       (folder / "keymap.yaml").string() + ":1:33: field \"recognise\" wants at least one pattern"));
}

TEST(RegistryTest, FilesThatEndInYmlAreNamed) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  const fs::path folder = TestFolder();
  Write(folder / "toy/plugin.yml", kToyPlugin);
  Write(folder / "toy/keymap.yaml", kToyKeyMap);
  EXPECT_THAT(Registry::Load(BuiltInPlugins(), {folder.string()}),
              StatusIs(kInvalid, (folder / "toy/plugin.yml").string() + ": a plugin's files end in .yaml; rename it"));
  fs::rename(folder / "toy/plugin.yml", folder / "toy/plugin.yaml");
  EXPECT_OK(Registry::Load(BuiltInPlugins(), {folder.string()}));
  Write(folder / "toy/modules.yml", "modules: {}\n");
  EXPECT_THAT(Registry::Load(BuiltInPlugins(), {folder.string()}),
              StatusIs(kInvalid, (folder / "toy/modules.yml").string() + ": a plugin's files end in .yaml; rename it"));
}

TEST(RegistryTest, ALinkToNothingIsAnError) {
  const fs::path folder = TestFolder();
  Write(folder / "plugin.yaml", kToyPlugin);
  Write(folder / "keymap.yaml", kToyKeyMap);
  fs::create_symlink("gone", folder / "modules.yaml");
  EXPECT_THAT(Registry::Load(BuiltInPlugins(), {folder.string()}),
              StatusIs(absl::StatusCode::kInvalidArgument, (folder / "modules.yaml").string() + ": is not a file"));
}

TEST(RegistryTest, AHugeFileIsNotRead) {
  const fs::path folder = TestFolder();
  Write(folder / "plugin.yaml", kToyPlugin);
  fs::resize_file(folder / "plugin.yaml", uintmax_t{1} << 40);
  EXPECT_THAT(Registry::Load(BuiltInPlugins(), {folder.string()}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       (folder / "plugin.yaml").string() + ":1:1: the file has more than 1048576 bytes; split it"));
}

TEST(RegistryTest, MoreThanAThousandPluginsAreRefused) {
  const fs::path folder = TestFolder();
  for (int i = 0; i < 1001; ++i) {
    const std::string family = "f" + std::to_string(i), used = i == 0 ? "" : "f" + std::to_string(i - 1);
    Write(folder / family / "plugin.yaml",
          "family: " + family + "\nsummary: s\nupstream: {source: x, commit: y, licence: MIT}\nuses: [" + used + "]\n");
  }
  EXPECT_THAT(
      Registry::Load(BuiltInPlugins(), {folder.string()}),
      StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(folder.string() + ": more than 1000 plugins in")));
  fs::remove_all(folder / "f1000");
  EXPECT_OK(Registry::Load(BuiltInPlugins(), {folder.string()}));
}

TEST(RegistryTest, APluginPathWithoutAPluginIsNotFound) {
  const fs::path folder = TestFolder();
  EXPECT_THAT(Registry::Load(BuiltInPlugins(), {folder.string()}),
              StatusIs(kNotFound, folder.string() + ": no plugin.yaml in this folder or below it"));
  EXPECT_THAT(Registry::Load(BuiltInPlugins(), {(folder / "absent").string()}),
              StatusIs(kNotFound, (folder / "absent").string() + ": No such file or directory"));
}

}  // namespace
}  // namespace modelport
