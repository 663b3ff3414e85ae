#include "registry/link_plugins.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/optional.h"
#include "common/status/status_matchers.h"
#include "common/yaml/testing/schema_errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "registry/testing/net_plugin.h"
#include "targets/targets.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(LinkPluginsTest, APluginSeesTheTypesOfThoseItUsesTransitively) {
  const PluginFolder top = Folder("models/top", WithVariant(Header("top", "net"), "top_a", "Linear(1, 2)"),
                                  "modules: {Top(): {}}\n", kKeyMap);
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins({Net(), top, Layers()}, {}));
  ASSERT_THAT(plugins, SizeIs(3));
  EXPECT_EQ(plugins[0]->family, "layers");
  EXPECT_EQ(plugins[1]->path, "models/net");
  EXPECT_NE(plugins[2]->library->Find("Linear"), nullptr);
  EXPECT_EQ(plugins[2]->library->Find("Linear"), plugins[0]->library->Find("Linear"));
  EXPECT_EQ(plugins[0]->library->Find("Net"), nullptr);
  EXPECT_NE(plugins[1]->key_map.Find("original"), nullptr);
}

TEST(LinkPluginsTest, ATestPluginTakesOverWhatItExtends) {
  const PluginFolder tiny =
      Folder("t", "family: tiny\nsummary: s\nextends: net\nvariants: {tiny_a: {summary: s, module: Net(1)}}\n", "");
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins({Layers(), Net()}, {tiny}));
  ASSERT_THAT(plugins, SizeIs(3));
  EXPECT_EQ(plugins[2]->family, "tiny");
  EXPECT_EQ(plugins[2]->key_map_digest, plugins[1]->key_map_digest);
  EXPECT_THAT(plugins[2]->examples, SizeIs(1));
  EXPECT_EQ(plugins[2]->preprocessing.std, plugins[1]->preprocessing.std);
  EXPECT_EQ(plugins[2]->commit, "y");
  EXPECT_EQ(plugins[2]->library->Find("Net"), plugins[1]->library->Find("Net"));
}

TEST(LinkPluginsTest, AWrappersConditionIsOnArgumentsOfTheRoot) {
  EXPECT_THAT(LinkPlugins({Layers(), NetOfSeveralWrappers("normals")}, {}),
              StatusIs(kInvalid, HasSubstr("Net has no argument \"normals\"; nearest: has_normals")));
  EXPECT_THAT(LinkPlugins({}, {Layers(), NetOfSeveralWrappers("dim == Linear")}),
              StatusIs(kInvalid, HasSubstr("field \"when\" for net_a: ")));
}

TEST(LinkPluginsTest, ASingleWrapperIsCalledByItsKind) {
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins({Layers(), WrappedNet("Net", "Wrapper(mean, dim)")}, {}));
  EXPECT_EQ(plugins[1]->wrappers[0].name, "depth");
}

// The plugin Net, of which an example and the multiple of an image's sides are as given.
PluginFolder NetWithExample(const std::string& example, const std::string& multiple_of) {
  const std::string text =
      absl::StrReplaceAll(Net().Find("plugin.yaml")->text,
                          {{"forward([1])", example},
                           {"preprocessing: {", absl::StrCat("preprocessing: {multiple_of: ", multiple_of, ", ")}});
  return Folder("models/net", text, kNet, kKeyMap);
}

TEST(LinkPluginsTest, ExamplesAndSidesFollowTheRootsArguments) {
  ASSERT_OK_AND_ASSIGN(const auto plugins,
                       LinkPlugins({Layers(), NetWithExample("forward([1, 2 * dim], dim)", "dim")}, {}));
  const Variant& variant = plugins[1]->variants.front();
  ASSERT_OK_AND_ASSIGN(const std::vector<Call> examples, ExamplesOf(*plugins[1], variant));
  EXPECT_EQ(examples.front().text, "forward([1, 6], 3)");
  ASSERT_OK_AND_ASSIGN(const Preprocessing preprocessing, PreprocessingOf(*plugins[1], variant));
  EXPECT_EQ(preprocessing.multiple_of, 3);
  EXPECT_THAT(LinkPlugins({}, {Layers(), NetWithExample("forward(width)", "1")}),
              StatusIs(kInvalid, HasSubstr("unknown name \"width\": arguments of an example are values")));
  EXPECT_THAT(LinkPlugins({}, {Layers(), NetWithExample("forward([1])", "dim - 3")}),
              StatusIs(kInvalid, HasSubstr("wants a positive integer, dim - 3 is 0")));
}

TEST(LinkPluginsTest, AVariantMayBeNormalisedByItsOwnNumbers) {
  const auto with = [](const std::string& numbers) {
    const std::string text =
        absl::StrReplaceAll(Net().Find("plugin.yaml")->text, {{"    url: u\n", "    url: u\n    " + numbers + "\n"}});
    return LinkPlugins({}, {Layers(), Folder("models/net", text, kNet, kKeyMap)});
  };
  ASSERT_OK_AND_ASSIGN(const auto plugins, with("mean: [0.4, 0.3, 0.2]\n    std: [0.1, 0.2, 0.3]"));
  ASSERT_OK_AND_ASSIGN(const Preprocessing own, PreprocessingOf(*plugins[1], plugins[1]->variants.front()));
  EXPECT_THAT(own.mean, ElementsAre(0.4, 0.3, 0.2));
  EXPECT_THAT(own.std, ElementsAre(0.1, 0.2, 0.3));
  EXPECT_THAT(with("mean: [0.4, 0.3, 0.2]"), StatusIs(kInvalid, HasSubstr("or both are left out; they have 3 and 0")));
  EXPECT_THAT(
      with("mean: [0.4]\n    std: [0.1]"),
      StatusIs(kInvalid, HasSubstr("want a number for each of 3 channels, or both are left out; they have 1 and 1")));
  EXPECT_THAT(with("mean: [0, 0, 0]\n    std: [1, 1, 0]"),
              StatusIs(kInvalid, HasSubstr("field \"std\" wants numbers above 0")));
}

TEST(LinkPluginsTest, AReplacementTakesTheFamilysPlace) {
  PluginFolder changed = Net();
  changed.path = "mine";
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins({Layers(), Net()}, {changed}));
  ASSERT_THAT(plugins, SizeIs(2));
  EXPECT_EQ(plugins[1]->path, "mine");
}

// Net, of whose only variant no tree can be built.
PluginFolder WrongNet(const std::string& path) {
  return Folder(path, WithVariant(Header("net", "layers"), "net_a", "Net(0)"), kNet, kKeyMap);
}

TEST(LinkPluginsTest, VariantsAreCheckedUnlessTheirTextsComeWithTheProgram) {
  constexpr char kError[] = "variant net_a: models/layers/modules.yaml:2:42: fc: size inputs of \"weight\" is 0";
  EXPECT_OK(LinkPlugins({Layers(), WrongNet("models/net")}, {}));
  EXPECT_OK(LinkPlugins({Layers(), WrongNet("models/net")}, {WrongNet("elsewhere/net")}));
  EXPECT_THAT(LinkPlugins({Layers(), Net()}, {WrongNet("elsewhere/net")}), StatusIs(kInvalid, HasSubstr(kError)));
  // A family that it uses has another text.
  const PluginFolder layers = Folder("models/layers", Header("layers", ""), absl::StrCat(kLayers, "  Other(): {}\n"));
  EXPECT_THAT(LinkPlugins({Layers(), WrongNet("models/net")}, {layers}), StatusIs(kInvalid, HasSubstr(kError)));
}

TEST(LinkPluginsTest, DigestsFollowTextsAndNotPlaces) {
  PluginFolder moved = Folder("elsewhere", Net().Find("plugin.yaml")->text, kNet, kKeyMap);
  ASSERT_OK_AND_ASSIGN(const auto here, LinkPlugins({Layers(), Net()}, {}));
  ASSERT_OK_AND_ASSIGN(const auto there, LinkPlugins({Layers(), moved}, {}));
  EXPECT_THAT(here[1]->plugin_digest, SizeIs(64));
  EXPECT_EQ(here[1]->plugin_digest, there[1]->plugin_digest);
  PluginFolder layers = Folder("models/layers", Header("layers", ""), std::string(kLayers) + "# changed\n");
  ASSERT_OK_AND_ASSIGN(const auto changed, LinkPlugins({layers, Net()}, {}));
  EXPECT_NE(here[1]->plugin_digest, changed[1]->plugin_digest);
  EXPECT_EQ(here[1]->key_map_digest, changed[1]->key_map_digest);
}

// The types of WrappedNet with `to` in the place of `from`.
std::string WrappedTypes(const std::string& from, const std::string& to) {
  return absl::StrReplaceAll(kWrappedNet, {{from, to}});
}

// The plugin Net, whose layout has these further fields.
PluginFolder NetWithLayout(const std::string& fields) {
  return Folder("models/net", WithVariant(Header("net", "layers"), "net_a", "Net(3)"), kNet,
                "layouts: {original: {recognise: [fc.weight], " + fields + "}}\n");
}

// The plugin Net with these rules for arguments.
PluginFolder NetWithRules(const std::string& rules) {
  const std::string header = Header("net", "layers") + "arguments: {" + rules + "}\n";
  return Folder("models/net", WithVariant(header, "net_a", "Net(3)"), kNet, kKeyMap);
}

// A family with a Net inside, whose layout has these inclusions.
PluginFolder Outer(const std::string& inclusions, const std::string& fields = "") {
  return Folder("models/outer", WithVariant(Header("outer", "layers, net"), "outer_a", "Outer()"),
                "modules: {Outer(): {children: {net: Net(3)}}}\n",
                "layouts: {original: {recognise: [w], " + fields + "includes: [" + inclusions + "]}}\n");
}

TEST(LinkPluginsTest, ALayoutTakesTheRulesOfAnother) {
  const std::string rules = "layouts: {original: {recognise: [w], sources: [{slot: fc.weight, key: w}]}}\n";
  const PluginFolder net = Folder("models/net", WithVariant(Header("net", "layers"), "net_a", "Net(3)"), kNet, rules);
  const PluginFolder outer = Outer("{family: net, layout: original, slot: net, key: a.b}");
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins({Layers(), net, outer}, {}));
  const Layout& layout = *plugins[2]->key_map.Find("original");
  ASSERT_THAT(layout.sources, SizeIs(1));
  EXPECT_EQ(layout.sources[0].slots[0].text(), "net.fc.weight");
  EXPECT_EQ(layout.sources[0].keys[0].text(), "a.b.w");
  EXPECT_EQ(layout.recognise[0].text(), "a.b.w");
  ASSERT_OK_AND_ASSIGN(
      const auto changed,
      LinkPlugins({Layers(), Folder("models/net", net.Find("plugin.yaml")->text, kNet, rules + "# x\n"), outer}, {}));
  EXPECT_NE(plugins[2]->key_map_digest, changed[2]->key_map_digest);
}

struct ErrorCase {
  std::string name;
  std::vector<PluginFolder> folders;
  std::string error;
};

class LinkPluginsErrorTest : public testing::TestWithParam<ErrorCase> {};

// The damage lies between files or in what names mean, so no schema sees it.
TEST_P(LinkPluginsErrorTest, IsReported) {
  EXPECT_THAT(LinkPlugins({}, GetParam().folders), StatusIs(kInvalid, GetParam().error));
  for (const PluginFolder& folder : GetParam().folders) {
    for (const YamlFile& file : folder.files) EXPECT_THAT(SchemaErrors(file), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, LinkPluginsErrorTest,
    testing::Values(
        ErrorCase{"TwoPluginsOfOneFamily",
                  {Layers(), Folder("models/other", Header("layers", ""), "")},
                  "models/other: family layers is already in models/layers"},
        ErrorCase{
            "TwoVariantsOfOneName",
            {Layers(), Net(),
             Folder("models/other", WithVariant(Header("other", "layers"), "net_a", "Linear(1, 1)"), "", kKeyMap)},
            "models/other/plugin.yaml:10:13: variant net_a is already at models/net/plugin.yaml:10:13"},
        ErrorCase{"UnknownFamily",
                  {Net(), Folder("models/layer", Header("layer", ""), kLayers)},
                  "models/net/plugin.yaml:4:8: unknown family \"layers\"; nearest: layer"},
        ErrorCase{"FamiliesThatNeedEachOther",
                  {Folder("a", Header("a", "b"), ""), Folder("b", Header("b", "a"), "")},
                  "b/plugin.yaml:4:8: circular `uses` or `extends`: a -> b -> a"},
        ErrorCase{"NoPluginFile",
                  {Layers(), {"models/net", {{"models/net/modules.yaml", kNet}}}},
                  "models/net: has no plugin.yaml"},
        ErrorCase{"NoKeyMap",
                  {Layers(), Folder("models/net", WithVariant(Header("net", "layers"), "net_a", "Net(3)"), kNet)},
                  "models/net: a plugin with variants wants a keymap.yaml"},
        ErrorCase{
            "VariantDoesNotBuild",
            {Layers(), Folder("models/net", WithVariant(Header("net", "layers"), "net_a", "Net(0)"), kNet, kKeyMap)},
            "models/net/plugin.yaml:10:13: variant net_a: "
            "models/layers/modules.yaml:2:42: fc: size inputs of \"weight\" is 0"},
        ErrorCase{"RuleForNoArgument",
                  {Layers(), NetWithRules("Net: {dims: 'shape(\"fc.weight\")[1]'}")},
                  "models/net/plugin.yaml:5:19: Net has no argument \"dims\"; nearest: dim"},
        ErrorCase{"RuleByNoArgument",
                  {Layers(), NetWithRules("Net: {dim: din * 2}")},
                  "models/net/plugin.yaml:5:19: Net has no argument \"din\"; nearest: dim"},
        ErrorCase{"RuleForNoType",
                  {Layers(), NetWithRules("Nets: {dim: 2}")},
                  "models/net/plugin.yaml:5:20: arguments of Nets: there is no such module type"},
        ErrorCase{"WrapperOfNoRoot",
                  {Layers(), WrappedNet("Nets", "Wrapper(mean, 1)")},
                  "models/net/plugin.yaml:5:18: no variant has the root Nets; nearest: Net"},
        ErrorCase{"WrapperThatDoesNotFit",
                  {Layers(), WrappedNet("Net", "Wrapper(mean)")},
                  "models/net/plugin.yaml:5:18: wrapper of net_a: Wrapper lacks argument \"dim\"; the signature "
                  "is Wrapper(mean, dim)"},
        ErrorCase{
            "WrapperWithoutInterface",
            {Layers(), WrappedNet("Net", "Wrapper(mean, dim)", WrappedTypes("    interface: ", "    #"))},
            "models/net/plugin.yaml:5:18: wrapper of net_a: models/net/modules.yaml:3:3: a wrapper for nuke wants "
            "a field interface, Wrapper has none"},
        ErrorCase{"WrapperForImagesWithoutInterface",
                  {Layers(), NetOfImages("Wrapper(mean, dim)", WrappedTypes("    interface: ", "    #"))},
                  "models/net/plugin.yaml:6:61: wrapper of net_a: models/net/modules.yaml:3:3: a wrapper for images "
                  "wants a field interface, Wrapper has none"},
        ErrorCase{"WrapperForAHostWithoutChannels",
                  {Layers(), WrappedNet("Net", "Wrapper(mean, dim)", WrappedTypes("channels_in: [rgba.red], ", ""))},
                  "models/net/plugin.yaml:5:18: wrapper of net_a: models/net/modules.yaml:4:16: a wrapper for nuke "
                  "wants the fields channels_in, channels_out and category"},
        ErrorCase{"WrapperWithAnUnknownChannel",
                  {Layers(), WrappedNet("Net", "Wrapper(mean, dim)", WrappedTypes("depth.Z", "depth.z"))},
                  "models/net/plugin.yaml:5:18: wrapper of net_a: models/net/modules.yaml:4:16: nuke has no channel "
                  "\"depth.z\"; nearest: depth.Z"},
        ErrorCase{"WrapperWithAChannelTwice",
                  {Layers(), WrappedNet("Net", "Wrapper(mean, dim)", WrappedTypes("[rgba.red]", "[mask.a, mask.a]"))},
                  "models/net/plugin.yaml:5:18: wrapper of net_a: models/net/modules.yaml:4:16: channel \"mask.a\" is "
                  "listed twice"},
        ErrorCase{"WrapperWithAMultipleBelowOne",
                  {Layers(), WrappedNet("Net", "Wrapper(mean, 0)")},
                  "models/net/plugin.yaml:5:18: wrapper of net_a: models/net/modules.yaml:4:16: multiple_of dim is 0"},
        ErrorCase{
            "InterfaceWithAnUnknownArgument",
            {Layers(), WrappedNet("Net", "Wrapper(mean, dim)", WrappedTypes("multiple_of: dim", "multiple_of: dims"))},
            "models/net/modules.yaml:4:16: unknown name \"dims\"; nearest: dim"},
        ErrorCase{
            "TypeIsInAUsedFamilyToo",
            {Layers(), Folder("models/net", Header("net", "layers"), kLayers)},
            "models/net/modules.yaml:2:3: module type Linear is already defined at models/layers/modules.yaml:2:3"},
        ErrorCase{"ConfigOfAnArgumentThatNoVariantHas",
                  {Layers(), NetWithLayout("config: {type: {is: kind}}")},
                  "models/net/keymap.yaml:1:55: no variant has what field \"type\" of field \"config\" names"},
        ErrorCase{"ConfigOfAModuleThatNoVariantHas",
                  {Layers(), NetWithLayout("config: {type: {of: head, is: dim}}")},
                  "models/net/keymap.yaml:1:55: no variant has what field \"type\" of field \"config\" names"},
        ErrorCase{"ConfigThatFails",
                  {Layers(), NetWithLayout("config: {type: {is: \"dim[0]\"}}")},
                  "models/net/keymap.yaml:1:55: field \"type\" of field \"config\": \"dim[0]\": wants a list, has 3"},
        ErrorCase{
            "RuleForASlotThatNoVariantHas",
            {Layers(), Folder("models/net", WithVariant(Header("net", "layers"), "net_a", "Net(3)"), kNet,
                              "layouts: {original: {recognise: [fc.weight], sources: [{slot: fc.weigth, key: w}]}}\n")},
            "models/net/keymap.yaml:1:56: no variant has a slot that matches \"fc.weigth\""},
        ErrorCase{
            "RulesForOneSlot",
            {Layers(), NetWithLayout("sources: [{slot: \"fc.{leaf}\", key: \"a.{leaf}\"}, {slot: fc.weight, key: b}]")},
            "models/net/keymap.yaml:1:94: layout original: the rule fills fc.weight of net_a, and so does the one "
            "at models/net/keymap.yaml:1:56"},
        ErrorCase{"ARuleThatFillsASlotTwice",
                  {Layers(), NetWithLayout("sources: [{slot: \"fc.{weight,weight}\", key: \"{a,b}\"}]")},
                  "models/net/keymap.yaml:1:56: layout original: the rule fills fc.weight of net_a twice"},
        ErrorCase{"InclusionOfAFamilyThatIsNotUsed",
                  {Layers(), NetWithLayout("includes: [{family: layer, layout: original, slot: fc}]")},
                  "models/net/keymap.yaml:1:57: layout original: \"layer\" is no family of `uses`; nearest: layers"},
        ErrorCase{"InclusionOfAnUnknownLayout",
                  {Layers(), Net(), Outer("{family: net, layout: originals, slot: net}")},
                  "models/outer/keymap.yaml:1:49: layout original: net has no layout \"originals\"; nearest: original"},
        ErrorCase{"TwoInclusionsForOneSlot",
                  {Layers(), Net(),
                   Outer("{family: net, layout: original, slot: net}, {family: net, layout: original, slot: net.fc}")},
                  "models/outer/keymap.yaml:1:93: the slots below net.fc are also of the inclusion at "
                  "models/outer/keymap.yaml:1:49"},
        ErrorCase{"InclusionForSlotsThatNoVariantHas",
                  {Layers(), Net(), Outer("{family: net, layout: original, slot: nets}")},
                  "models/outer/keymap.yaml:1:49: no variant has a slot below nets"},
        ErrorCase{
            "OwnRuleForASlotOfAnInclusion",
            {Layers(),
             Folder("models/net", WithVariant(Header("net", "layers"), "net_a", "Net(3)"), kNet,
                    "layouts: {original: {recognise: [w], sources: [{slot: fc.weight, key: w}]}}\n"),
             Outer("{family: net, layout: original, slot: net}", "sources: [{slot: net.fc.weight, key: v}], ")},
            "models/outer/keymap.yaml:1:48: layout original: the rule fills net.fc.weight of outer_a, and so does "
            "the one at models/net/keymap.yaml:1:48"},
        ErrorCase{"ConstantThatNoVariantHas",
                  {Layers(), NetWithLayout("constants: {depth: 3}")},
                  "models/net/keymap.yaml:1:58: no variant has the constant depth 3"},
        ErrorCase{
            "InclusionsInACircle",
            {Layers(),
             Folder("models/net", WithVariant(Header("net", "layers, outer"), "net_a", "Net(3)"), kNet,
                    "layouts: {original: {recognise: [w], includes: [{family: outer, layout: original, slot: fc}]}}\n"),
             Outer("{family: net, layout: original, slot: net}")},
            "models/outer/plugin.yaml:4:16: circular `uses` or `extends`: net -> outer -> net"},
        ErrorCase{"TypeOfAFamilyThatIsNotUsed",
                  {Layers(), Folder("models/net", Header("net", ""), kNet)},
                  "models/net/modules.yaml:2:29: unknown module type \"Linear\"; family layers has it: add layers to "
                  "`uses` in "
                  "plugin.yaml"},
        ErrorCase{
            "RootOfAFamilyThatIsNotUsed",
            {Layers(), Folder("models/net", WithVariant(Header("net", ""), "net_a", "Linear(3, 2)"), "", kKeyMap)},
            "models/net/plugin.yaml:10:13: unknown module type \"Linear\"; family layers has it: add layers to "
            "`uses` in plugin.yaml"},
        ErrorCase{"WrapperOfAFamilyThatIsNotUsed",
                  {Layers(), WrappedNet("Net", "HostDepth(mean)"),
                   Folder("models/host", Header("host", ""), "modules: {HostDepth(mean): {}}\n")},
                  "models/net/plugin.yaml:5:18: unknown module type \"HostDepth\"; family host has it: add host to "
                  "`uses` in plugin.yaml"},
        ErrorCase{"WrapperOfADepthWithoutADirection",
                  {Layers(), WrappedNet("Net", "Wrapper(mean, dim=larger_is_nearer)")},
                  "models/net/plugin.yaml:5:18: wrapper of net_a: unknown name \"larger_is_nearer\": it tells what an "
                  "output of forward states as larger_is, nearer or farther, under entry_points of Net"}),
    [](const auto& info) { return info.param.name; });

// Each family includes the one before it twice.
TEST(LinkPluginsTest, InclusionsCannotGrowWithoutBound) {
  std::vector<PluginFolder> folders = {Layers(), Net()};
  std::string uses = "layers, net", inner = "net", type = "Net(3)";
  for (int i = 0; i < 16; ++i) {
    const std::string family = "f" + std::to_string(i), name = "F" + std::to_string(i);
    const std::string include = "{family: " + inner + ", layout: original, slot: ";
    folders.push_back(
        Folder("models/" + family, WithVariant(Header(family, uses), family + "_a", name + "()"),
               "modules: {" + name + "(): {children: {a: \"" + type + "\", b: \"" + type + "\"}}}\n",
               "layouts: {original: {recognise: [w], includes: [" + include + "a}, " + include + "b}]}}\n"));
    uses = "layers, " + family;
    inner = family;
    type = name + "()";
  }
  EXPECT_THAT(LinkPlugins(folders, {}),
              StatusIs(kInvalid, HasSubstr("layout original has more than 10000 rules with those that it includes")));
}

TEST(LinkPluginsTest, TheProblemsOfAllFilesAreReportedAtOnce) {
  const std::vector<PluginFolder> folders = {
      Folder("models/layers", Header("layers", ""), "modules: {F(): {paramaters: {}}}\n"),
      Folder("models/net", Header("net", "layers"), "modules: {G(): {method: x}}\n", "layout: {}\n"),
      Folder("models/other", "family: other\n", "")};
  for (const YamlFile& file : {folders[0].files[0], folders[1].files[0], folders[1].files[1], folders[2].files[0]}) {
    EXPECT_THAT(SchemaErrors(file), Not(IsEmpty())) << file.path;
  }
  EXPECT_THAT(LinkPlugins(folders, {}), StatusIs(kInvalid, R"yaml(plugins: 4 failures
  models/other/plugin.yaml:1:1: missing field "summary" in a plugin
  models/layers/modules.yaml:1:17: unknown field "paramaters" in F; nearest: parameters
  models/net/modules.yaml:1:17: unknown field "method" in G; nearest: methods
  models/net/keymap.yaml: 2 problems
    models/net/keymap.yaml:1:1: missing field "layouts" in a key map
    models/net/keymap.yaml:1:1: unknown field "layout" in a key map; nearest: layouts)yaml"));
}

}  // namespace
}  // namespace modelport
