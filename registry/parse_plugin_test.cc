#include "registry/parse_plugin.h"

#include <string>

#include "common/status/status_matchers.h"
#include "common/yaml/testing/schema_errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto kWrongPlugin = absl::StatusCode::kInvalidArgument;

TEST(ParsePluginTest, ReadsEveryField) {
  const YamlFile file = {"models/toy/plugin.yaml", R"yaml(
family: toy
summary: A toy
upstream: {source: "https://example.org/toy", commit: 0123456, licence: MIT}
licence_texts:
  CC-BY-NC-4.0: |
    Use it well.
uses: [layers]
preprocessing: {mean: [0.5, 0.25, 0], std: [1, 1, 1e-1], multiple_of: 14}
examples:
  - forward([1, 3, 28, 28])
targets:
  nuke:
    Toy: Wrapper(mean)
arguments:
  Toy:
    dim: shape("stem.weight")[0]
    heads: dim / 64
variants:
  toy_b:
    summary: base
    title: Toy Base
    module: Toy(dim=4)
    file: toy_b.pth
    url: https://example.org/toy_b.pth
    hub: org/toy
    digest: {sha256: 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff, url: "https://example.org/sums"}
    licence: CC-BY-NC-4.0
    licence_claims:
      - {licence: Apache-2.0, url: "https://example.org/page"}
      - {licence: CC-BY-NC-4.0, url: "https://example.org/readme"}
    licence_note: the weights were trained on pictures of others
  toy_a:
    summary: announced
    module: Toy(dim=8)
    file: toy_a.pth
    licence: MIT
    published: false
)yaml"};
  EXPECT_THAT(SchemaErrors(file), IsEmpty());
  ASSERT_OK_AND_ASSIGN(const Plugin plugin, ParsePlugin(file));
  EXPECT_EQ(plugin.family, "toy");
  EXPECT_EQ(plugin.summary, "A toy");
  EXPECT_EQ(plugin.upstream, "https://example.org/toy");
  EXPECT_EQ(plugin.commit, "0123456");
  EXPECT_EQ(plugin.licence, "MIT");
  EXPECT_THAT(plugin.licence_texts, testing::ElementsAre(testing::Pair("CC-BY-NC-4.0", "Use it well.\n")));
  ASSERT_THAT(plugin.uses, SizeIs(1));
  EXPECT_EQ(plugin.uses[0].family, "layers");
  EXPECT_THAT(plugin.extends, IsEmpty());
  EXPECT_THAT(plugin.preprocessing.mean, ElementsAre(0.5, 0.25, 0));
  EXPECT_THAT(plugin.preprocessing.std, ElementsAre(1, 1, 0.1));
  EXPECT_EQ(plugin.preprocessing.multiple_of, 14);
  EXPECT_EQ(plugin.examples[0].type, "forward");
  ASSERT_THAT(plugin.wrappers, SizeIs(1));
  EXPECT_EQ(plugin.wrappers[0].target, "nuke");
  EXPECT_EQ(plugin.wrappers[0].root, "Toy");
  EXPECT_EQ(plugin.wrappers[0].call.text, "Wrapper(mean)");
  ASSERT_THAT(plugin.arguments, SizeIs(1));
  const std::vector<ArgumentRule>& rules = plugin.arguments.at("Toy");
  ASSERT_THAT(rules, SizeIs(2));
  EXPECT_EQ(rules[0].argument, "dim");
  EXPECT_EQ(rules[0].value.text(), "shape(\"stem.weight\")[0]");
  EXPECT_EQ(rules[1].argument, "heads");
  ASSERT_THAT(plugin.variants, SizeIs(2));
  EXPECT_EQ(plugin.variants[0].name, "toy_b");
  EXPECT_EQ(plugin.variants[0].module.text, "Toy(dim=4)");
  ASSERT_THAT(plugin.variants[0].files, SizeIs(1));
  EXPECT_EQ(plugin.variants[0].files[0].part, "");
  EXPECT_EQ(plugin.variants[0].files[0].name, "toy_b.pth");
  EXPECT_EQ(plugin.variants[0].files[0].hub, "org/toy");
  EXPECT_EQ(plugin.variants[0].files[0].sha256, "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
  EXPECT_EQ(plugin.variants[0].files[0].sha256_url, "https://example.org/sums");
  EXPECT_EQ(plugin.variants[0].title, "Toy Base");
  EXPECT_EQ(plugin.variants[1].title, "toy_a");
  EXPECT_EQ(plugin.variants[1].files[0].sha256, "");
  ASSERT_THAT(plugin.variants[0].licence_claims, SizeIs(2));
  EXPECT_EQ(plugin.variants[0].licence_claims[0].licence, "Apache-2.0");
  EXPECT_EQ(plugin.variants[0].licence_claims[0].url, "https://example.org/page");
  EXPECT_EQ(plugin.variants[0].licence_note, "the weights were trained on pictures of others");
  EXPECT_EQ(plugin.variants[1].licence_note, "");
  EXPECT_TRUE(plugin.variants[0].published);
  EXPECT_EQ(plugin.variants[0].mark.line, 23);
  EXPECT_FALSE(plugin.variants[1].published);
}

TEST(ParsePluginTest, ATestPluginNeedsLittle) {
  ASSERT_OK_AND_ASSIGN(const Plugin plugin, ParsePlugin({"plugin.yaml", R"yaml(
family: toy_tiny
summary: for tests
extends: toy
variants:
  tiny: {summary: tiny, module: Toy(dim=1)}
)yaml"}));
  ASSERT_THAT(plugin.extends, SizeIs(1));
  EXPECT_EQ(plugin.extends[0].family, "toy");
  ASSERT_THAT(plugin.variants[0].files, SizeIs(1));
  EXPECT_EQ(plugin.variants[0].files[0].name, "");
}

// What ParsePlugin says of a damaged file. The schema refuses it too.
absl::Status Refuse(const std::string& text) {
  EXPECT_THAT(SchemaErrors({"plugin.yaml", text}), Not(IsEmpty()));
  return ParsePlugin({"plugin.yaml", text}).status();
}

TEST(ParsePluginTest, APluginThatExtendsTakesOverAndDoesNotState) {
  EXPECT_THAT(Refuse(R"yaml(family: toy_tiny
summary: for tests
extends: toy
uses: [layers]
)yaml"),
              StatusIs(kWrongPlugin,
                       "plugin.yaml:4:1: unknown field \"uses\" in a plugin; known: family, summary, "
                       "extends, variants"));
}

TEST(ParsePluginTest, AllProblemsAreReportedAtOnce) {
  EXPECT_THAT(Refuse(R"yaml(familly: toy
summary: [A toy]
upstream: {source: x, commit: y}
preprocessing: {mean: [0.5], std: [1, 1, one], multiple_of: 014}
examples: [forward]
variants:
  toy_a:
    summary: announced
    module: Toy(
    file: toy_a.pth
    licence: MIT
    published: no
  toy_b: {}
)yaml"),
              StatusIs(kWrongPlugin, R"yaml(plugin.yaml: 15 problems
  plugin.yaml:1:1: missing field "family" in a plugin
  plugin.yaml:1:1: unknown field "familly" in a plugin; nearest: family
  plugin.yaml:2:10: field "summary" wants text, has a list
  plugin.yaml:3:11: missing field "licence" in field "upstream"
  plugin.yaml:4:42: an item of field "std" wants a number, has "one"
  plugin.yaml:4:61: column 1 of "014": no valid number: 014
  plugin.yaml:5:12: column 8 of "forward": wants "(", has nothing
  plugin.yaml:7:3: variant toy_a wants url or hub, or published: false for weights that are not public
  plugin.yaml:9:13: column 5 of "Toy(": wants a value, has nothing
  plugin.yaml:12:16: field "published" wants true or false, has "no"
  plugin.yaml:13:3: variant toy_b wants url or hub, or published: false for weights that are not public
  plugin.yaml:13:10: missing field "summary" in variant toy_b
  plugin.yaml:13:10: missing field "module" in variant toy_b
  plugin.yaml:13:10: missing field "file" in variant toy_b
  plugin.yaml:13:10: missing field "licence" in variant toy_b)yaml"));
}

TEST(ParsePluginTest, ADigestIsASha256AndThePageThatStatesIt) {
  EXPECT_THAT(Refuse(R"yaml(family: toy
summary: A toy
extends: other
variants:
  a: {summary: s, module: T(1), digest: {sha256: 0A1B, url: u}}
  b: {summary: s, module: T(1), digest: {sha256: 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff}}
  c: {summary: s, module: T(1), digest: 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff}
)yaml"),
              StatusIs(kWrongPlugin, R"yaml(plugin.yaml: 3 problems
  plugin.yaml:5:41: field "sha256" wants 64 digits of 0-9 and a-f, or the first 8 of them or more; has 0A1B
  plugin.yaml:6:41: missing field "url" in field "digest"
  plugin.yaml:7:41: field "digest" wants a map, has "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")yaml"));
}

TEST(ParsePluginTest, TargetsAreKnownOnesThatWrap) {
  EXPECT_THAT(Refuse(R"yaml(family: toy
summary: A toy
upstream: {source: x, commit: y, licence: MIT}
targets:
  nukes: {Toy: Wrapper()}
  libtorch: {Toy: Wrapper()}
  nuke: [Toy]
)yaml"),
              StatusIs(kWrongPlugin, R"yaml(plugin.yaml: 3 problems
  plugin.yaml:5:3: unknown target "nukes"; nearest: nuke
  plugin.yaml:6:3: target libtorch takes models as they are, without a wrapper
  plugin.yaml:7:9: target nuke wants a map, has a list)yaml"));
}

TEST(ParsePluginTest, ARootMayHaveSeveralWrappers) {
  const YamlFile file = {"plugin.yaml", R"yaml(family: toy
summary: A toy
targets:
  nuke:
    Toy:
      depth: Depth(mean)
      normals: {module: Normals(mean), when: has_normals and dim >= 8}
)yaml"};
  EXPECT_THAT(SchemaErrors(file), IsEmpty());
  ASSERT_OK_AND_ASSIGN(const Plugin plugin, ParsePlugin(file));
  ASSERT_THAT(plugin.wrappers, SizeIs(2));
  EXPECT_EQ(plugin.wrappers[0].name, "depth");
  EXPECT_FALSE(plugin.wrappers[0].when.has_value());
  EXPECT_EQ(plugin.wrappers[1].target, "nuke");
  EXPECT_EQ(plugin.wrappers[1].root, "Toy");
  EXPECT_EQ(plugin.wrappers[1].name, "normals");
  EXPECT_EQ(plugin.wrappers[1].when->text(), "has_normals and dim >= 8");
  EXPECT_EQ(plugin.wrappers[1].call.text, "Normals(mean)");
  EXPECT_EQ(plugin.wrappers[1].mark.line, 7);
}

TEST(ParsePluginTest, WrappersOfARootAreChecked) {
  EXPECT_THAT(Refuse(R"yaml(family: toy
summary: A toy
targets:
  nuke:
    None: {}
    Toy: {Depth: Depth(mean), depth: Depth(), depth: Depth()}
    Net: {normals: {when: dim >, if: 1}}
)yaml"),
              StatusIs(kWrongPlugin, R"yaml(plugin.yaml: 6 problems
  plugin.yaml:5:5: root None wants a wrapper
  plugin.yaml:6:11: wrapper "Depth" is not a valid name: it wants a-z, 0-9, _, . and -, at most 64 of them, a letter or digit first
  plugin.yaml:6:47: duplicate field "depth"; the first is on line 6
  plugin.yaml:7:20: missing field "module" in wrapper normals
  plugin.yaml:7:27: column 6 of "dim >": wants a value, has nothing
  plugin.yaml:7:34: unknown field "if" in wrapper normals; known: module, when)yaml"));
}

TEST(ParsePluginTest, RulesForArgumentsAreExpressionsWithKnownFunctions) {
  EXPECT_THAT(Refuse(R"yaml(family: toy
summary: A toy
arguments:
  Toy:
    dim: shapes("stem")[0]
    depth: count("blocks.{i}.w"
    heads: {a: b}
)yaml"),
              StatusIs(kWrongPlugin, R"yaml(plugin.yaml: 3 problems
  plugin.yaml:5:10: unknown function "shapes"; nearest: shape
  plugin.yaml:6:12: column 21 of "count("blocks.{i}.w"": wants ")", has nothing
  plugin.yaml:7:12: argument heads wants text, has a map)yaml"));
}

TEST(ParsePluginTest, NamesBecomePathsAndAreChecked) {
  const std::string rule =
      "is not a valid name: it wants a-z, 0-9, _, . and -, at most 64 of them, a letter or digit first";
  EXPECT_THAT(Refuse(R"yaml(family: ../toy
summary: A toy
extends: base
variants:
  ../../escape: {summary: a, module: Toy()}
  toy_a: {summary: a, module: Toy(), file: ../../a.pth}
)yaml"),
              StatusIs(kWrongPlugin, "plugin.yaml: 3 problems\n  plugin.yaml:1:9: family \"../toy\" " + rule +
                                         "\n  plugin.yaml:5:3: variant \"../../escape\" " + rule +
                                         "\n  plugin.yaml:6:3: field \"file\": \"../../a.pth\" is not a path below a "
                                         "folder, without . and .."));
}

TEST(ParsePluginTest, ExamplesHaveValuesForArguments) {
  EXPECT_THAT(Refuse(R"yaml(family: toy
summary: A toy
upstream: {source: x, commit: y, licence: MIT}
examples:
  - forward([1, 3, 28, 7 // 0])
  - forward(x=[1, 3])
  - forward(Toy)
  - forward([1, 3], true, 0.5, "text", -1)
)yaml"),
              StatusIs(kWrongPlugin, R"yaml(plugin.yaml: 2 problems
  plugin.yaml:5:5: "[1, 3, 28, 7 // 0]": division by zero
  plugin.yaml:6:5: an example gives its arguments by position)yaml"));
}

TEST(ParsePluginTest, LicenceClaimsDisagree) {
  EXPECT_THAT(ParsePlugin({"plugin.yaml", R"yaml(family: toy
summary: A toy
extends: base
variants:
  agreed: {summary: s, module: Toy(), licence: MIT, licence_claims: [{licence: MIT, url: a}, {licence: MIT, url: b}]}
  others: {summary: s, module: Toy(), licence: MIT, licence_claims: [{licence: ISC, url: a}, {licence: BSD, url: b}]}
  none: {summary: s, module: Toy(), licence: MIT, licence_claims: []}
  partial: {summary: s, module: Toy(), licence: MIT, licence_claims: [{licence: MIT}, {licence: ISC, page: b}]}
)yaml"}),
              StatusIs(kWrongPlugin, R"yaml(plugin.yaml: 6 problems
  plugin.yaml:5:69: field "licence_claims" wants two licences or more, that of field "licence" among them; has MIT
  plugin.yaml:6:69: field "licence_claims" wants two licences or more, that of field "licence" among them; has BSD, ISC
  plugin.yaml:7:67: field "licence_claims" wants two licences or more, that of field "licence" among them; has none
  plugin.yaml:8:71: missing field "url" in an item of field "licence_claims"
  plugin.yaml:8:87: missing field "url" in an item of field "licence_claims"
  plugin.yaml:8:102: unknown field "page" in an item of field "licence_claims"; known: licence, url)yaml"));
}

// The preprocessing that the text in braces states.
absl::StatusOr<Plugin> WithPreprocessing(const std::string& preprocessing) {
  const YamlFile file = {"plugin.yaml", "family: toy\nsummary: A toy\npreprocessing: {" + preprocessing + "}\n"};
  EXPECT_THAT(SchemaErrors(file), IsEmpty());
  return ParsePlugin(file);
}

TEST(ParsePluginTest, PreprocessingMayBeOfAnyKind) {
  ASSERT_OK_AND_ASSIGN(const Plugin plain, WithPreprocessing(""));
  EXPECT_EQ(plain.preprocessing.channels, 3);
  EXPECT_THAT(plain.preprocessing.mean, IsEmpty());
  EXPECT_EQ(plain.preprocessing.multiple_of, 1);
  EXPECT_THAT(plain.preprocessing.size, IsEmpty());
  ASSERT_OK_AND_ASSIGN(const Plugin four,
                       WithPreprocessing("mean: [0.5, 0.5, 0.5, 0.5], std: [1, 1, 1, 1], multiple_of: 32"));
  EXPECT_EQ(four.preprocessing.channels, 4);
  EXPECT_EQ(four.preprocessing.multiple_of, 32);
  ASSERT_OK_AND_ASSIGN(const Plugin fixed, WithPreprocessing("channels: 1, size: [224, 280]"));
  EXPECT_EQ(fixed.preprocessing.channels, 1);
  EXPECT_THAT(fixed.preprocessing.size, ElementsAre(224, 280));
}

TEST(ParsePluginTest, PreprocessingMayWrapARootForImages) {
  ASSERT_OK_AND_ASSIGN(const Plugin plugin, WithPreprocessing("wrappers: {Toy: \"Images(mean, std)\"}"));
  ASSERT_THAT(plugin.wrappers, SizeIs(1));
  EXPECT_EQ(plugin.wrappers[0].target, "");
  EXPECT_EQ(plugin.wrappers[0].root, "Toy");
  EXPECT_EQ(plugin.wrappers[0].call.text, "Images(mean, std)");
}

TEST(ParsePluginTest, NormalisationHasANumberForEachChannel) {
  const auto wants = [](const std::string& counts) {
    return StatusIs(kWrongPlugin, "plugin.yaml:3:16: fields \"mean\" and \"std\" want a number for each of " + counts);
  };
  EXPECT_THAT(WithPreprocessing("mean: [0.5], std: [1, 1, 1]").status(),
              wants("3 channels, or both are left out; they have 1 and 3"));
  EXPECT_THAT(WithPreprocessing("mean: [0.5, 0, 0]").status(),
              wants("3 channels, or both are left out; they have 3 and 0"));
  EXPECT_THAT(WithPreprocessing("mean: [0, 0, 0], std: [1, 1, 1], channels: 4").status(),
              wants("4 channels, or both are left out; they have 3 and 3"));
}

TEST(ParsePluginTest, SizesAndChannelsArePositive) {
  EXPECT_THAT(Refuse(R"yaml(family: toy
summary: A toy
preprocessing: {channels: 0, size: [224, 0], multiple_of: 0, wrappers: []}
)yaml"),
              StatusIs(kWrongPlugin, R"yaml(plugin.yaml: 4 problems
  plugin.yaml:3:16: field "channels" wants a positive integer
  plugin.yaml:3:16: field "multiple_of" wants a positive integer
  plugin.yaml:3:36: field "size" wants two positive integers, height and width
  plugin.yaml:3:72: field "wrappers" wants a map, has a list)yaml"));
  EXPECT_THAT(
      Refuse("family: toy\nsummary: A toy\npreprocessing: {size: [224, 2.5]}\n"),
      StatusIs(kWrongPlugin, testing::HasSubstr("an item of field \"size\" wants a decimal integer, has \"2.5\"")));
}

TEST(ParsePluginTest, DeviationsAreAboveZero) {
  EXPECT_THAT(Refuse(R"yaml(family: toy
summary: A toy
upstream: {source: x, commit: y, licence: MIT}
preprocessing: {mean: [0, 0, 0], std: [1, 0, 1]}
)yaml"),
              StatusIs(kWrongPlugin, "plugin.yaml:4:16: field \"std\" wants numbers above 0"));
}

TEST(ParsePluginTest, VariantsNeedExamplesAndPreprocessing) {
  EXPECT_THAT(Refuse(R"yaml(family: toy
summary: A toy
upstream: {source: x, commit: y, licence: MIT}
variants:
  toy_a: {summary: a, module: Toy(), file: a.pth, url: "https://example.org", licence: MIT}
)yaml"),
              StatusIs(kWrongPlugin, R"yaml(plugin.yaml: 2 problems
  plugin.yaml:1:1: a plugin with variants wants examples
  plugin.yaml:1:1: a plugin with variants wants preprocessing)yaml"));
}

}  // namespace
}  // namespace modelport
