#include "registry/weight_parts.h"

#include <memory>
#include <string>
#include <vector>

#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "registry/link_plugins.h"
#include "registry/plugin_folder.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kModules[] = R"yaml(modules:
  Net(): {parameters: {weight: [2]}}
  Head(): {parameters: {weight: [3], bias: [3]}}
  Both(): {children: {net: Net(), head: Head()}}
  More(): {parameters: {scale: [1]}, children: {net: Net(), head: Head(), bare: Bare()}}
  Bare(): {}
)yaml";

constexpr char kParts[] = "{net: base, head: {original: {recognise: [bias]}}}";
constexpr char kFiles[] = "{head: {file: h.pth, url: u}, net: {file: n.pth, hub: o/n}}";

std::string Header(const std::string& family, const std::string& uses) {
  return "family: " + family + "\nsummary: s\nupstream: {source: x, commit: y, licence: MIT}\nuses: [" + uses +
         "]\nexamples: [\"forward([1])\"]\npreprocessing: {mean: [0, 0, 0], std: [1, 1, 1]}\n";
}

// A family `base` of one file, and a family `top` with a variant of the root `module`, files `files` and the key map
// `key_map`.
std::vector<PluginFolder> Folders(const std::string& module, const std::string& files, const std::string& key_map,
                                  const std::string& uses = "base") {
  const std::string base =
      Header("base", "") + "variants: {net_a: {summary: s, module: Net(), file: n.pth, url: u, licence: MIT}}\n";
  const std::string top = Header("top", uses) + "variants:\n  both_a:\n    summary: s\n    module: " + module +
                          "\n    " + files + "\n    licence: MIT\n";
  return {{"base",
           {{"base/keymap.yaml", "layouts: {original: {recognise: [weight]}}\n"},
            {"base/modules.yaml", kModules},
            {"base/plugin.yaml", base}}},
          {"top", {{"top/keymap.yaml", key_map}, {"top/plugin.yaml", top}}}};
}

std::string Files(const std::string& files) { return "files: " + files; }
std::string Parts(const std::string& parts) { return "parts: " + parts + "\n"; }

TEST(WeightPartsTest, EachFileFillsAChildInTheOrderOfTheSlots) {
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins(Folders("Both()", Files(kFiles), Parts(kParts)), {}));
  const Plugin& top = *plugins[1];
  const Variant& variant = top.variants[0];
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(top.library, variant.module));
  ASSERT_OK_AND_ASSIGN(const std::vector<WeightPart> parts, SplitWeights(top, variant, tree));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(parts[0].file->name, "n.pth");
  EXPECT_EQ(parts[0].file->hub, "o/n");
  EXPECT_EQ(parts[0].key_map->layouts[0].recognise[0].text(), "weight");
  EXPECT_EQ(parts[0].SlotName(parts[0].tree.slots[0].name), "net.weight");
  EXPECT_EQ(parts[1].file->name, "h.pth");
  EXPECT_EQ(parts[1].key_map->layouts[0].recognise[0].text(), "bias");
  EXPECT_THAT(parts[1].tree.slots, SizeIs(2));
  EXPECT_EQ(parts[1].Title(variant), "head of both_a");
}

TEST(WeightPartsTest, OneFileFillsTheWholeTree) {
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins(Folders("Both()", Files(kFiles), Parts(kParts)), {}));
  const Plugin& base = *plugins[0];
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(base.library, base.variants[0].module));
  ASSERT_OK_AND_ASSIGN(const std::vector<WeightPart> parts, SplitWeights(base, base.variants[0], tree));
  ASSERT_THAT(parts, SizeIs(1));
  EXPECT_EQ(parts[0].key_map, &base.key_map);
  EXPECT_EQ(parts[0].SlotName("weight"), "weight");
  EXPECT_EQ(parts[0].Title(base.variants[0]), "net_a");
}

// A part that takes over another family's key map follows its text.
TEST(WeightPartsTest, TheDigestOfTheKeyMapCoversTheOneOfAnotherFamily) {
  std::vector<PluginFolder> folders = Folders("Both()", Files(kFiles), Parts(kParts));
  ASSERT_OK_AND_ASSIGN(const auto before, LinkPlugins(folders, {}));
  folders[0].files[0].text += "# changed\n";
  ASSERT_OK_AND_ASSIGN(const auto after, LinkPlugins(folders, {}));
  EXPECT_NE(before[1]->key_map_digest, after[1]->key_map_digest);
}

struct ErrorCase {
  std::vector<PluginFolder> folders;
  std::string error;
};

TEST(WeightPartsTest, FilesThatDoNotFillTheTreeAreNamed) {
  const ErrorCase cases[] = {
      {Folders("More()", Files(kFiles), Parts(kParts)),
       "variant both_a: field \"files\": no file fills scale; the files fill head, net"},
      {Folders("Both()", Files("{heads: {file: h.pth, url: u}, net: {file: n.pth, url: u}}"),
               Parts("{net: base, heads: {original: {recognise: [bias]}}}")),
       "no file fills head.weight; the files fill heads, net"},
      {Folders("Both()", Files("{heads: {file: h, url: u}, head: {file: h, url: u}, net: {file: n, url: u}}"),
               Parts("{net: base, heads: base, head: base}")),
       "the root has no child heads with parameters or buffers; nearest: head"},
      {Folders("Both()", Files(kFiles), Parts("{net: base}")),
       "head has no layouts: name them under `parts` in keymap.yaml"},
      {Folders("Both()", "file: b.pth\n    url: u", Parts("{net: base}")),
       "keymap.yaml has `parts` only, for variants with `files`: name its layouts under `layouts`"},
      {Folders("Both()", Files(kFiles), Parts("{net: bases, head: base}")),
       "top/keymap.yaml:1:9: part net: \"bases\" is no family of `uses`; nearest: base"},
      {Folders("Both()", Files(kFiles), Parts("{net: base, head: base, nets: base}")),
       "top/keymap.yaml:1:32: part nets: no variant has a file for it; nearest: net"},
  };
  for (const ErrorCase& test : cases) {
    EXPECT_THAT(LinkPlugins({}, test.folders), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(test.error)));
  }
}

}  // namespace
}  // namespace modelport
