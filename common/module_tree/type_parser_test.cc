#include "common/module_tree/type_parser.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/status/status_matchers.h"
#include "common/yaml/parse.h"
#include "common/yaml/testing/schema_errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

constexpr char kInterface[] = R"yaml(kind: depth
channels_in: [rgba.red, rgba.green]
channels_out: [depth.Z]
category: Depth Estimation
multiple_of: 2 * patch
scale: patch
examples: ["forward([1, 2, 28, 28])", "forward([1, 3, 5, 9])"]
)yaml";

class ParseInterfaceTest : public testing::Test {
 protected:
  InterfaceDecl Parse(const std::string& text) {
    return ParseInterface(ParseYaml({"w.yaml", text}, &problems_), &problems_);
  }

  // What is said of kInterface with `to` in the place of `from`. The schema refuses it too.
  std::string Problem(const std::string& from, const std::string& to) {
    std::string text = kInterface;
    text.replace(text.find(from), from.size(), to);
    EXPECT_THAT(SchemaErrors(InModule(text)), Not(IsEmpty()));
    Parse(text);
    return std::string(problems_.status().message());
  }

  // A file with a module type that has this interface.
  static YamlFile InModule(const std::string& interface) {
    const std::string indented = absl::StrReplaceAll("\n" + interface, {{"\n", "\n      "}});
    return {"w.yaml", "modules:\n  W(patch):\n    interface:" + indented};
  }

  YamlProblems problems_{"w.yaml"};
};

TEST_F(ParseInterfaceTest, TakesEveryField) {
  EXPECT_THAT(SchemaErrors(InModule(kInterface)), IsEmpty());
  const InterfaceDecl decl = Parse(kInterface);
  EXPECT_OK(problems_.status());
  EXPECT_EQ(decl.stated.kind, "depth");
  EXPECT_THAT(decl.stated.channels_in, ElementsAre("rgba.red", "rgba.green"));
  EXPECT_THAT(decl.stated.channels_out, ElementsAre("depth.Z"));
  EXPECT_EQ(decl.stated.category, "Depth Estimation");
  EXPECT_EQ(decl.multiple_of->text(), "2 * patch");
  EXPECT_EQ(decl.scale->text(), "patch");
  ASSERT_THAT(decl.stated.examples, SizeIs(2));
  EXPECT_EQ(decl.stated.examples[0].text, "forward([1, 2, 28, 28])");
  EXPECT_EQ(decl.stated.examples[1].place, "w.yaml:7:39");
}

TEST_F(ParseInterfaceTest, FramesHaveThreeChannelsEach) {
  const auto parse = [&](const std::string& channels, const std::string& frames) {
    YamlProblems problems("w.yaml");
    const std::string text = absl::StrReplaceAll(
        kInterface, {{"[rgba.red, rgba.green]", "[" + channels + "]"}, {"scale: patch", "frames: " + frames}});
    const InterfaceDecl decl = ParseInterface(ParseYaml({"w.yaml", text}, &problems), &problems);
    return std::pair(decl.stated.frames, std::string(problems.status().message()));
  };
  EXPECT_THAT(parse("a, b, c, d, e, f", "[0, -3]"), Pair(ElementsAre(0, -3), ""));
  for (const char* frames : {"[0, 0]", "[0, 0.5]", "[1, 0]", "[0, 101]", "[0, 1, 2]"}) {
    EXPECT_THAT(
        parse("a, b, c, d, e, f", frames).second,
        HasSubstr("w.yaml:1:1: field \"frames\" wants 0, the frame that is shown, then other whole numbers from "
                  "-100 to 100, each once, and three of channels_in for each; there are"))
        << frames;
  }
  EXPECT_THAT(parse("a, b, c", "[0]").second, HasSubstr("there are 1 frames and 3 channels"));
  EXPECT_THAT(parse("a, b, c, d", "[0, 1]").second, HasSubstr("there are 2 frames and 4 channels"));
}

TEST_F(ParseInterfaceTest, AnUnknownKindIsAProblem) {
  EXPECT_THAT(
      Problem("depth\n", "deep\n"),
      HasSubstr(
          "w.yaml:1:7: field \"kind\" wants depth, matte, features, colour, scores, normals or flow, has \"deep\""));
}

TEST_F(ParseInterfaceTest, AMissingFieldIsAProblem) {
  EXPECT_THAT(Problem("kind", "kinds"), HasSubstr("missing field \"kind\" in field \"interface\""));
}

TEST_F(ParseInterfaceTest, AnEmptyListIsAProblem) {
  EXPECT_THAT(Problem("[depth.Z]", "[]"), HasSubstr("w.yaml:3:15: field \"channels_out\" wants at least one item"));
}

TEST_F(ParseInterfaceTest, AnExampleThatIsNoCallOfValuesIsAProblem) {
  EXPECT_THAT(Problem("[1, 3, 5, 9]", "patch"),
              HasSubstr("unknown name \"patch\": arguments of an example are values"));
}

TEST_F(ParseInterfaceTest, AnExpressionThatDoesNotParseIsAProblem) {
  EXPECT_THAT(Problem("2 * patch", "2 *"), HasSubstr("w.yaml:5:14: "));
}

}  // namespace
}  // namespace modelport
