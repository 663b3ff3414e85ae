#include "common/keymap/config_rule.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/module_tree/module_library.h"
#include "common/status/status_matchers.h"
#include "common/yaml/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

constexpr char kTypes[] = R"yaml(modules:
  Leaf(size, eps=1e-6): {constants: {eps: eps}}
  Other(width): {constants: {width: width}}
  Net(dim, taps=[2, 5], scale=20.0, kind=Leaf, bias=1):
    children:
      leaf: kind(dim)
      list: [Leaf(3)]
)yaml";

// The rules of a map with the field `config`.
std::vector<ConfigRule> Rules(const std::string& config, absl::Status* status = nullptr) {
  YamlProblems problems("k.yaml");
  const YamlValue document = ParseYaml({"k.yaml", absl::StrCat("config: ", config, "\n")}, &problems);
  YamlMapReader reader(document, "a layout", &problems);
  std::vector<ConfigRule> rules = TakeConfigRules(&reader, &problems);
  if (status != nullptr) {
    *status = problems.status();
  } else {
    EXPECT_OK(problems.status());
  }
  return rules;
}

ModuleTree Tree(const std::string& call) {
  auto library = std::make_shared<ModuleLibrary>();
  EXPECT_OK(library->AddFile({"modules.yaml", kTypes}, "models/net/modules.yaml"));
  absl::StatusOr<ModuleTree> tree = BuildModuleTree(library, *ParseCall(call));
  EXPECT_OK(tree);
  return *std::move(tree);
}

// What the rule `text` wants of the model `call`, or "none".
std::string Wanted(const std::string& text, const std::string& call = "Net(4)", const std::string& at = "") {
  const std::vector<ConfigRule> rules = Rules(absl::StrCat("{f: ", text, "}"));
  const absl::StatusOr<absl::optional<std::string>> wanted = WantedConfig(rules[0], Tree(call), at);
  return wanted.ok() ? wanted->value_or("none") : std::string(wanted.status().message());
}

TEST(ConfigRuleTest, AValueIsOfEveryModel) {
  EXPECT_EQ(Wanted("gelu"), "gelu");
  EXPECT_EQ(Wanted("20.0"), "20");
  EXPECT_EQ(Wanted("true"), "true");
  EXPECT_EQ(Wanted("[4, 2.0, 0.5]"), "[4, 2, 0.5]");
}

TEST(ConfigRuleTest, AnExpressionIsOverTheArgumentsOfAModule) {
  EXPECT_EQ(Wanted("{is: 2 * dim}"), "8");
  EXPECT_EQ(Wanted("{is: scale}"), "20");
  EXPECT_EQ(Wanted("{is: taps}"), "[2, 5]");
  EXPECT_THAT(Wanted("{is: '[taps[0] + 1, 0.5]'}", "Net(4, taps=[2.0, 5.0])"), HasSubstr("wants an integer, has 2"));
  EXPECT_EQ(Wanted("{is: dim == 4}"), "true");
  EXPECT_EQ(Wanted("{is: '\"gelu\"'}"), "gelu");
  EXPECT_EQ(Wanted("{of: leaf, is: eps}"), "1e-06");
  EXPECT_EQ(Wanted("{of: list.0, is: size}"), "3");
  EXPECT_EQ(Wanted("{is: size}", "Net(4)", "leaf"), "4");
  EXPECT_EQ(Wanted("{of: '0', is: size}", "Net(4)", "list"), "3");
}

TEST(ConfigRuleTest, TheFileMayWriteItInAnotherWay) {
  EXPECT_EQ(Wanted("{is: dim, as: 'stage{}'}"), "stage4");
  EXPECT_EQ(Wanted("{is: '[taps[0] + 1, taps[1] + 1]', as: 'stage{}'}"), "[stage3, stage6]");
  EXPECT_EQ(Wanted("{is: kind, as: {Leaf: basic, Other: rare}}"), "basic");
  EXPECT_EQ(Wanted("{is: kind == Leaf, as: {true: 'yes', false: 'no'}}"), "yes");
  EXPECT_EQ(Wanted("{is: kind, as: {Other: rare}}"), "field \"f\" of field \"config\": `as` has no name for Leaf");
}

TEST(ConfigRuleTest, ARuleIsForModelsThatHaveWhatItNames) {
  EXPECT_EQ(Wanted("{is: width}"), "none");
  EXPECT_EQ(Wanted("{of: head, is: dim}"), "none");
  EXPECT_EQ(Wanted("{of: list, is: dim}"), "none");
  EXPECT_EQ(Wanted("{of: leaf, is: size}", "Net(4, kind=Other)"), "none");
  EXPECT_EQ(Wanted("{is: dim, when: bias}"), "4");
  EXPECT_EQ(Wanted("{is: dim, when: bias}", "Net(4, bias=0)"), "none");
  EXPECT_EQ(Wanted("{is: dim, when: width}"), "none");
  EXPECT_EQ(Wanted("{is: 'taps[2]', when: dim == 5}"), "none");
  EXPECT_THAT(Wanted("{is: 'taps[2]'}"),
              HasSubstr("field \"f\" of field \"config\": \"taps[2]\": index 2 is out of range"));
}

TEST(ConfigRuleTest, TakesWhatAFileMeansAndWhatToSay) {
  const std::vector<ConfigRule> rules = Rules("{a.b: {is: dim, absent: [1.0, x], otherwise: is old}, c: 1}");
  ASSERT_EQ(rules.size(), 2);
  EXPECT_EQ(rules[0].field, "a.b");
  EXPECT_EQ(rules[0].absent, "[1, x]");
  EXPECT_EQ(rules[0].otherwise, "is old");
  EXPECT_EQ(rules[0].mark.line, 1);
  EXPECT_EQ(rules[1].absent, absl::nullopt);
  EXPECT_EQ(FindConfigRule(rules, "c"), &rules[1]);
  EXPECT_EQ(FindConfigRule(rules, "a"), nullptr);
}

TEST(ConfigRuleTest, DamageIsReported) {
  absl::Status status;
  Rules("{a: {of: leaf}, b: {is: 1 +}, c: {is: 1, as: stage}, d: {is: 1, when: (}, e: {is: 1, iz: 2}, f: ''}", &status);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("6 problems")));
  for (const char* problem : {"missing field \"is\" in field \"a\" of field \"config\"", "column 4 of \"1 +\"",
                              "field \"as\" wants {} in the place of the value, has \"stage\"",
                              "unknown field \"iz\" in field \"e\" of field \"config\"; nearest: is",
                              "field \"f\" of field \"config\" wants text"}) {
    EXPECT_THAT(status.message(), HasSubstr(problem));
  }
}

TEST(IsGeneralConfigFieldTest, TheFieldsOfAllConfigurationsAreKnown) {
  for (const char* field : {"torch_dtype", "_commit_hash", "use_cache", "id2label.0", "text_config.label2id.a b"}) {
    EXPECT_TRUE(IsGeneralConfigField(field)) << field;
  }
  for (const char* field : {"hidden_act", "torch_dtypes", "", "text_config"}) {
    EXPECT_FALSE(IsGeneralConfigField(field)) << field;
  }
}

}  // namespace
}  // namespace modelport
