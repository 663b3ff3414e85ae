// The schemas in docs/schema say the same of a plugin's files as their readers do.
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/keymap/key_map.h"
#include "common/module_tree/module_library.h"
#include "common/status/status_matchers.h"
#include "common/yaml/document.h"
#include "common/yaml/parse.h"
#include "common/yaml/problems.h"
#include "common/yaml/testing/schema_errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "registry/parse_plugin.h"
#include "registry/plugin_folder.h"
#include "registry/toy_plugin.h"

namespace modelport {
namespace {

using ::testing::ContainsRegex;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Kind = YamlValue::Kind;

TEST(SchemaAgreementTest, EveryPluginIsValid) {
  std::vector<PluginFolder> folders = {ReadToyPlugin()};
  for (const char* root : {"models", "targets"}) {
    ASSERT_OK_AND_ASSIGN(const std::vector<PluginFolder> found, ReadPluginFolders(root));
    folders.insert(folders.end(), found.begin(), found.end());
  }
  EXPECT_THAT(folders, SizeIs(testing::Gt(8)));
  for (const PluginFolder& folder : folders) {
    for (const YamlFile& file : folder.files) {
      EXPECT_THAT(SchemaErrors(file), IsEmpty()) << file.path;
    }
  }
}

// "# yaml-language-server: $schema=../../docs/schema/plugin.schema.json\n" for "models/dinov2/plugin.yaml".
std::string SchemaLine(const YamlFile& file) {
  std::string line = "# yaml-language-server: $schema=";
  for (const char c : file.path) {
    if (c == '/') line += "../";
  }
  return absl::StrCat(line, SchemaPath(file), "\n");
}

TEST(SchemaAgreementTest, EveryFileNamesItsSchemaForEditors) {
  for (const char* root : {"models", "targets"}) {
    ASSERT_OK_AND_ASSIGN(const std::vector<PluginFolder> folders, ReadPluginFolders(root));
    for (const PluginFolder& folder : folders) {
      for (const YamlFile& file : folder.files) {
        EXPECT_TRUE(absl::StartsWith(file.text, SchemaLine(file))) << file.path << ": its first line must be\n"
                                                                   << SchemaLine(file);
      }
    }
  }
}

// `value` as YAML in lines that are indented by `indentation`, or on the line at hand.
std::string Emit(const YamlValue& value, const std::string& indentation = "") {
  const std::string inner = indentation + "  ";
  const bool is_empty = value.items.empty() && value.fields.empty();
  std::string yaml;
  switch (value.kind) {
    case Kind::kText:
      if (value.block_line > 0) {
        return absl::StrCat(" |\n", inner, absl::StrReplaceAll(value.text, {{"\n", "\n" + inner}}), "\n");
      }
      if (value.plain) return absl::StrCat(" ", value.text, "\n");
      return absl::StrCat(" '", absl::StrReplaceAll(value.text, {{"'", "''"}}), "'\n");
    case Kind::kList:
      if (is_empty) return " []\n";
      for (const YamlValue& item : value.items) absl::StrAppend(&yaml, indentation, "-", Emit(item, inner));
      return "\n" + yaml;
    case Kind::kMap:
      if (is_empty) return " {}\n";
      for (const auto& field : value.fields) {
        absl::StrAppend(&yaml, indentation, "\"", absl::StrReplaceAll(field.name, {{"\"", "\\\""}}),
                        "\":", Emit(field.value, inner));
      }
      return "\n" + yaml;
    case Kind::kNothing:
    case Kind::kInvalid:
      break;
  }
  return " ~\n";
}

YamlValue Parsed(const std::string& yaml) {
  YamlProblems problems("sample");
  YamlValue value = ParseYaml({"sample", yaml}, &problems);
  EXPECT_OK(problems.status()) << yaml;
  return value;
}

// Calls `visit` for each way to damage `value` in one place; `value` is damaged meanwhile.
void DamageEverywhere(YamlValue& value, const std::function<void()>& visit) {
  static const auto* const kOthers = new std::vector<YamlValue>{
      Parsed("~"),     Parsed("[]"),      Parsed("[q]"), Parsed("{}"),   Parsed("{q: 1}"), Parsed("q"),
      Parsed("'%'"),   Parsed("0"),       Parsed("-1"),  Parsed("1.5"),  Parsed("true"),   Parsed("a +"),
      Parsed("'f(a'"), Parsed("'a: b.'"), Parsed("''"),  Parsed("../q"), Parsed("'{q'"),   Parsed("f(a, b=[1, -2])")};
  const YamlValue whole = value;
  for (const YamlValue& other : *kOthers) {
    value = other;
    visit();
  }
  value = whole;
  for (size_t i = 0; i < whole.items.size(); ++i) {
    value.items.erase(value.items.begin() + i);
    visit();
    value = whole;
    DamageEverywhere(value.items[i], visit);
  }
  for (size_t i = 0; i < whole.fields.size(); ++i) {
    value.fields.erase(value.fields.begin() + i);
    visit();
    value = whole;
    for (const char* name : {"q", "Q q", "f(a)"}) {
      value.fields[i].name = name;
      visit();
    }
    value = whole;
    DamageEverywhere(value.fields[i].value, visit);
  }
}

absl::Status Read(const YamlFile& file) {
  if (FileName(file) == "plugin.yaml") return ParsePlugin(file).status();
  if (FileName(file) == "keymap.yaml") return ParseKeyMap(file).status();
  YamlProblems problems(file.path);
  ParseModules(file, &problems);
  return problems.status();
}

// What readers say of damage that no schema can see, since it lies between two values or in how YAML writes one.
constexpr absl::string_view kUnseen[] = {
    "is not in \"",                                  // A placeholder of `to` that `from` lacks.
    "unknown target",                                // A name in `targets`.
    "want a number for each",                        // `mean` and `std` of other lengths, or one without the other.
    "\"frames\" wants 0",                            // Numbers that are not whole, not distinct, or not 0 at first.
    "wants two licences or more",                    // `licence_claims` that agree, or without `licence`.
    "\"multiple_of\" wants a positive integer",      // The value of an expression.
    "unknown operation",                             // A name in `by`.
    "unknown rules",                                 // A name in `rules` of a layout.
    "no variant has the licence",                    // A name in `licence_texts`.
    "no layout takes rules",                         // A name in `rules` of the file.
    "wants {} in the place",                         // A text in `as`.
    "wants a block of text that begins with \"|\"",  // A schema sees text, not how it is written.
};

bool IsUnseen(const absl::Status& status) {
  for (const absl::string_view message : kUnseen) {
    if (absl::StrContains(status.message(), message)) return true;
  }
  return false;
}

constexpr char kPlugin[] = R"yaml(family: toy
summary: A toy
upstream: {source: "https://example.org/toy", commit: 0123456, licence: MIT}
licence_texts: {MIT: Use it well.}
uses: [layers]
preprocessing:
  mean: [0.5, 0.25, 0, 0]
  std: [1, 1, 1e-1, 1]
  channels: 4
  multiple_of: 14
  size: [224, 280]
  wrappers: {Toy: Wrapper(mean)}
examples:
  - forward([1, 3, 28, 28])
targets:
  nuke:
    Toy: Wrapper(mean)
    Net:
      depth: Wrapper(mean)
      normals: {module: Wrapper(std), when: has_normals and channels == 3}
arguments: {Toy: {dim: 'shape("stem.weight")[0]'}}
variants:
  toy_b:
    summary: base
    title: Toy Base
    module: Toy(dim=4)
    file: toy_b.pth
    url: https://example.org/toy_b.pth
    also: [other.pth]
    digest: {sha256: 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff, url: "https://example.org/sums"}
    licence: MIT
    licence_claims:
      - {licence: MIT, url: "https://example.org/readme"}
      - {licence: ISC, url: "https://example.org/page"}
    licence_note: trained on pictures of others
  toy_c:
    summary: other
    module: Toy(4)
    file: folder/toy_c.pth
    hub: org/toy
    licence: MIT
    published: true
  toy_a:
    summary: announced
    module: Toy(dim=8)
    file: toy_a.pth
    licence: MIT
    published: false
  toy_d:
    summary: of two files
    module: Toy(dim=2)
    files:
      net: {file: net.pth, url: "https://example.org/net.pth", digest: {sha256: 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff, url: u}}
      head: {file: head.pth, hub: org/toy}
    whole: {file: whole.pth, hub: org/whole}
    licence: MIT
)yaml";

constexpr char kTestPlugin[] = R"yaml(family: toy_tiny
summary: for tests
extends: toy
variants:
  tiny: {summary: tiny, module: Toy(dim=1)}
)yaml";

constexpr char kModules[] = R"yaml(modules:
  Net(dim, depth, bias=1, sizes=[1, 2]):
    upstream: net.py:Net
    parameters:
      weight: [dim, 4 * dim, "sizes[-1] // 2"]
      bias: {shape: [dim], when: not bias, positions: dim - 1}
    buffers:
      mean: [3]
      index: {shape: [], when: bias == 1 and (dim < 4 or depth >= 2), dtype: int64}
    constants: {taps: [1, -dim], eps: 1e-6, mode: '"exact"', none: "[]"}
    attributes:
      gain: 2.0
      range: [0, 1]
      size: {value: 504, min: 0, max: 4 * dim, help: The longest side, when: bias}
      side: {value: 0, min: 0, max: 1, choices: [left, right], help: Which side}
    children:
      one: Net(dim, depth)
      maybe: {module: "Net(dim, 1)", when: bias}
      many:
        - Net(1, 1)
        - {repeat: depth, module: "Net(2, 2)"}
        - {when: bias, module: ["Net(1, 2)", "Net(2, 1)"]}
        - {repeat: 3, when: bias, modules: ["Net(1, 3)", {module: "Net(3, 1)", when: not bias}]}
    entry_points:
      forward:
        inputs:
          - {name: x, shape: [B, dim, 2 * H], dtype: bool, image: any, resize: longer_side, size: 4 * dim, min: 0, max: 1, when: bias, help: image, as: one.forward}
        outputs:
          - {name: y, shape: [], dtype: float32, unit: metres, larger_is: nearer, min: -1, max: dim, only_with: x, help: depth, as: one.forward}
          - {name: z, only_without: x, when: not bias, switched_by: depth}
    interface:
      kind: depth
      channels_in: [rgba.red, rgba.green, rgba.blue, a.x, a.y, a.z]
      channels_out: [depth.Z]
      category: Depth Estimation
      multiple_of: 2 * dim
      scale: dim
      frames: [0, -1]
      examples: ["forward([1, 6, 28, 28])"]
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return x
functions:
  - |
    def twice(x: Tensor) -> Tensor:
      return x + x
)yaml";

constexpr char kKeyMap[] = R"yaml(rules:
  training:
    unwrap: [model]
    strip: [module.]
    renames:
      - {from: "{path*}.attention.{leaf}", to: "{path*}.attn.{leaf}"}
    sources:
      - {slot: e, key: f, by: swap_halves(0), when: f, one_way: not needed}
      - {slot: g, key: h, by: "cast(int32, int64)"}
    aliases:
      - {slot: "b.{leaf}", key: "a.{leaf}"}
    missing:
      - {key: mask_token, reason: not used}
    dropped:
      - {key: old_token, reason: nobody has it}
    config:
      type: {of: head.final, is: kind, as: {ReLU: relative}, absent: relative}
      taps: {is: taps + 1, as: "stage{}", when: taps, absent: [1, 2.0], otherwise: the last are of release 1}
      sizes: [1, 2]
      model_type: toy
    old_names:
      - {from: "trunk.{rest*}", to: "stem.{rest*}", reason: renamed in release 2}
    config_unread: [max_depth, "labels.{name*}"]
    unused:
      - {key: "head.{rest*}", reason: training only}
layouts:
  original:
    recognise: [x, "blocks.{block}.w"]
    prefix: model.
    note: its library rounds otherwise
    rules: [training]
    unwrap: [teacher]
    strip: [_orig_mod.]
    renames:
      - {from: "y.{rest*}", to: "x.{rest*}"}
    aliases:
      - {slot: "d.{leaf}", key: "c.{leaf}"}
    missing:
      - {key: x_token, reason: not used, value: 0.5, written: true}
    dropped:
      - {key: z_token, reason: nobody has it}
    unused:
      - {key: y_token, reason: not used}
    includes:
      - {family: base, layout: original, slot: net.body, key: bert, config: text}
    constants: {net.depth: 3}
parts:
  net: base
  head:
    original: {recognise: [weight]}
)yaml";

// The names of all fields in the schema `json`.
void CollectFields(const nlohmann::json& json, std::set<std::string>& fields) {
  if (!json.is_structured()) return;
  if (json.is_object() && json.contains("properties")) {
    for (const auto& [name, field] : json["properties"].items()) fields.insert(name);
  }
  for (const auto& value : json) CollectFields(value, fields);
}

TEST(SchemaAgreementTest, TheDamagedSamplesHaveEveryField) {
  std::set<std::string> fields;
  for (const char* path : {"plugin.yaml", "keymap.yaml", "modules.yaml"}) {
    std::ifstream stream(SchemaPath({path, ""}));
    CollectFields(nlohmann::json::parse(stream), fields);
  }
  EXPECT_THAT(fields, SizeIs(testing::Gt(50)));
  const std::string samples = absl::StrCat(kPlugin, kTestPlugin, kModules, kKeyMap);
  for (const std::string& field : fields) EXPECT_THAT(samples, ContainsRegex("\\b" + field + ":[ \n]"));
}

class DamageTest : public testing::TestWithParam<YamlFile> {};

TEST_P(DamageTest, IsSeenByReaderAndSchemaOrByNeither) {
  YamlFile file = GetParam();
  YamlValue document = Parsed(file.text);
  EXPECT_OK(Read(file));
  EXPECT_THAT(SchemaErrors({file.path, Emit(document)}), IsEmpty());
  int seen = 0;
  DamageEverywhere(document, [&] {
    file.text = Emit(document);
    const absl::Status status = Read(file);
    const std::vector<std::string> errors = SchemaErrors(file);
    if (status.ok()) {
      EXPECT_THAT(errors, IsEmpty()) << "the reader takes:" << file.text;
    } else if (!IsUnseen(status)) {
      EXPECT_THAT(errors, Not(IsEmpty())) << status << "\n" << file.text;
    }
    seen += !errors.empty();
  });
  EXPECT_GT(seen, 50);
}

INSTANTIATE_TEST_SUITE_P(All, DamageTest,
                         testing::Values(YamlFile{"toy/plugin.yaml", kPlugin},
                                         YamlFile{"tiny/plugin.yaml", kTestPlugin},
                                         YamlFile{"toy/modules.yaml", kModules}, YamlFile{"toy/keymap.yaml", kKeyMap}),
                         [](const auto& info) {
                           return absl::StrReplaceAll(info.param.path, {{"/", "_"}, {".", "_"}});
                         });

}  // namespace
}  // namespace modelport
