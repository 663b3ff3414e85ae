// Plugins that would crash the tools, fill the memory or write outside the output folder: each gives one clear error.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "registry/toy_plugin.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A change of the toy plugin's files: in `file`, `from` becomes `to`.
struct Edit {
  std::string file;
  std::string from;
  std::string to;
};

// Writes the changed toy plugin into the folder toy of `folder`, without its second variant, which would repeat each
// error.
void WritePlugin(const std::string& folder, const std::vector<Edit>& edits) {
  fs::create_directory(folder + "/toy");
  for (const YamlFile& file : ReadToyPlugin().files) {
    std::string text = file.text.substr(0, file.text.find("  toy_large:"));
    for (const Edit& edit : edits) {
      if (FileName(file) != edit.file) continue;
      const std::string before = std::exchange(text, absl::StrReplaceAll(text, {{edit.from, edit.to}}));
      EXPECT_NE(text, before) << edit.from;
    }
    std::ofstream(absl::StrCat(folder, "/toy/", FileName(file))) << text;
  }
}

// The limits are those for the largest file of YAML, although the files here are smaller.
ToolResult Export(const std::string& folder, const std::string& target = "libtorch") {
  return RunTool("export", {"--model=toy_small", "--weights=seeded", "--plugin_path=toy", "--target=" + target}, folder,
                 [] { LimitMemoryAndTime(kMaxYamlSize); });
}

TEST(HostilePluginsTest, TheUnchangedPluginWorks) {
  for (const char* target : {"libtorch", "nuke"}) {
    const std::string folder = EmptyFolder("toy");
    WritePlugin(folder, {});
    const ToolResult result = Export(folder, target);
    EXPECT_EQ(result.exit_status, 0) << result.err;
  }
}

struct Case {
  std::string name;
  std::vector<Edit> edits;
  std::string error;  // In the first line of stderr.
  std::string target = "libtorch";
};

class HostilePluginsTest : public testing::TestWithParam<Case> {};

TEST_P(HostilePluginsTest, GiveOneClearErrorAndLeaveNothing) {
  const std::string folder = EmptyFolder("hostile");
  WritePlugin(folder, GetParam().edits);
  const ToolResult result = Export(folder, GetParam().target);
  EXPECT_EQ(result.exit_status, 1) << result.err;
  const std::string line = result.err.substr(0, result.err.find('\n'));
  EXPECT_THAT(line, HasSubstr(GetParam().error)) << result.err;
  EXPECT_THAT(line, testing::MatchesRegex("(INVALID_ARGUMENT|UNIMPLEMENTED|RESOURCE_EXHAUSTED): .*")) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(FileNames(folder), ElementsAre("toy"));
}

std::string Repeat(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

// A change of the tree of modules.
Edit Tree(const std::string& from, const std::string& to) { return {"modules.yaml", from, to}; }

// `expression` in the place of an integer of the root.
std::vector<Edit> Integer(const std::string& expression) {
  return {Tree("order: [0, depth - 1]", "order: '" + expression + "'")};
}

// `value` as what forward returns, of which the type states nothing.
std::vector<Edit> Output(const std::string& value) {
  return {Tree("    entry_points:\n      forward:\n        inputs: [{name: x, shape: [B, 3, H, W], image: prepared}]\n"
               "        outputs: [{name: features, shape: [B, dim, H, W], help: a map of features}]\n",
               ""),
          Tree("x: Tensor) -> Tensor:\n        x = clamp_to_unit", "x: Tensor):\n        x = clamp_to_unit"),
          Tree("return self.scales(x) * self.gain", "return " + value)};
}

// `lines` in forward, before it returns.
std::vector<Edit> Text(const std::string& lines) {
  return {Tree("        return self.scales(x) * self.gain", lines + "        return self.scales(x) * self.gain")};
}

// `call` as the example.
std::vector<Edit> Example(const std::string& call) { return {{"plugin.yaml", "forward([1, 3, 28, 42])", call}}; }

std::string Chain(int length) {
  std::string types;
  for (int i = 0; i < length; ++i) absl::StrAppend(&types, "  T", i, "(): {children: {a: T", i + 1, "()}}\n");
  return absl::StrCat("modules:\n", types, "  T", length, "(): {}\n");
}

INSTANTIATE_TEST_SUITE_P(
    Trees, HostilePluginsTest,
    testing::Values(
        Case{"RepeatWithinRepeat",
             {Tree("repeat: depth\n          module: Scale(dim)",
                   "repeat: 1000000000\n          module: [{repeat: 1000000000, module: Scale(dim)}]")},
             "toy/modules.yaml:28:49: scales.0: more than 10000 arguments and members of a module"},
        Case{"TooManyModules",
             {Tree("repeat: depth\n          module: Scale(dim)",
                   "repeat: 9000\n          module: [{repeat: 9000, module: Scale(dim)}]")},
             "more than 100000 modules in a tree"},
        Case{"SizesThatWrapToZero",
             {Tree("offset: {shape: [1, dim, 1, 1], when: bias}", "offset: [4294967296, 1073741824]")},
             "toy/modules.yaml:14:7: more than 100000000000 elements in a tree"},
        Case{"SizesThatWrapToZeroTogether",
             {Tree("mean: [3]",
                   "mean: [3]\n      a: [4611686018427387904]\n      b: "
                   "[4611686018427387904]\n      c: [4611686018427387904]\n      d: "
                   "[4611686018427387904]")},
             "more than 100000000000 elements in a tree"},
        Case{"ElementsForAllMemory", {Tree("mean: [3]", "mean: [100000000000]")}, "in a tree"},
        Case{"ElementsBeyondThisMachine", {Tree("mean: [3]", "mean: [90000000000]")}, "out of memory"},
        Case{"ChainOfTypes",
             {Tree("modules:\n", Chain(25000)), Tree("stem: Conv2d(3, hidden, kernel=1)", "stem: T0()")},
             "more than 50 levels of modules in a tree"},
        Case{"LongerChainOfTypes", {Tree("modules:\n", Chain(60000))}, "the file has more than 1048576 bytes"},
        Case{"BracketsInYaml",
             {Tree("order: [0, depth - 1]", "order: " + Repeat("[", 100000) + Repeat("]", 100000))},
             "not valid YAML: more than 50 levels"},
        Case{"BracketsInAnExpression", Integer(Repeat("(", 100000)), "has 100000 characters, wants at most 1000"},
        Case{"NestedExpression", Integer(Repeat("(", 400)), "wants at most 100 levels of nesting"},
        Case{"DivisionThatOverflows", Integer("(-9223372036854775807 - 1) // -1"),
             "-9223372036854775808 // -1 does not fit an integer of 64 bits"},
        Case{"NegationThatOverflows", Integer("-(-9223372036854775807 - 1)"), "does not fit an integer of 64 bits"},
        Case{"SumThatOverflows", Integer("9223372036854775807 + depth"), "does not fit an integer of 64 bits"},
        Case{"ProductThatOverflows", Integer("4294967296 * 4294967296 * 0"), "does not fit an integer of 64 bits"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Texts, HostilePluginsTest,
    testing::Values(
        Case{"Brackets", Text("        y = " + Repeat("(", 30000) + "1\n"), "nested more than 200 levels deep"},
        Case{"MoreBrackets", Text("        y = " + Repeat("(", 100000) + "1\n"), "the text has more than 65536 bytes"},
        Case{"Types", Text("        y: " + Repeat("List[", 5000) + "int = 1\n"), "nested more than 200 levels deep"},
        Case{"LoopsOverSubmodules",
             {Tree("repeat: depth", "repeat: 1000"),
              Tree("        return self.scales(x) * self.gain",
                   "        for a in self.scales:\n          for b in self.scales:\n            for c in self.scales:\n"
                   "              x = x + 1\n        return x")},
             "more than 262144 bytes of text with its loops over submodules unrolled"},
        Case{"ComprehensionInALoop",
             {Tree("repeat: depth", "repeat: 1000"),
              Tree("        return self.scales(x) * self.gain",
                   "        for a in self.scales:\n          y = [b(x) for b in self.scales]\n        return x")},
             "more than 262144 bytes of text with its loops over submodules unrolled"},
        Case{"DivisionOfConstants", Text("        x = x + (-9223372036854775807 - 1) // -1\n"),
             "an integer division by zero, or one whose result does not fit 64 bits"},
        Case{"DivisionOfInputs",
             Text("        n = -9223372036854775807 - x.size(0)\n        x = x + n // -x.size(0)\n"),
             "example forward([1, 3, 28, 42]): an integer division by zero, or one"},
        Case{"RestOfADivisionByZero", Text("        x = x + 1 % (x.size(0) - 1)\n"), "an integer division by zero"},
        Case{"WrapperWithoutForward",
             {Tree("def forward(self, x: Tensor) -> Tensor:\n        image =",
                   "def backward(self, x: Tensor) -> Tensor:\n        image =")},
             "modules.yaml:37:3: a wrapper for nuke wants a method forward, ToyForNuke has none",
             "nuke"},
        Case{"MemberNamedLikeAKeyword", {Tree("gain: 1.0", "class: 1.0")}, "\"class\" is not a valid name"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Runs, HostilePluginsTest,
    testing::Values(Case{"NegativeSize", Example("forward([1, 3, -28, 42])"),
                         "example forward([1, 3, -28, 42]): x wants a shape of sizes that are not negative"},
                    Case{"HugeInput", Example("forward([4294967296, 4294967296])"), "at most 100000000 elements"},
                    Case{"NumberForATensor", Example("forward(3)"),
                         "example forward(3): forward() Expected a value of type 'Tensor'"},
                    Case{"NoSuchMethod", Example("backward([1])"),
                         "example backward([1]): no method backward; known: forward"},
                    Case{"TensorsForKeys", Output("{x: x}"), "is a dictionary with tensors for keys"},
                    Case{"Sparse", Output("x.to_sparse()"), "forward([1, 3, 28, 42]) is a tensor of layout Sparse"},
                    Case{"SparseRows", Output("x.reshape(-1, 1).to_sparse_csr()"), "is a tensor of layout SparseCsr"},
                    Case{"Meta", Output("x.to(device=\"meta\")"),
                         "forward([1, 3, 28, 42]) is a tensor of layout Strided on device meta"},
                    Case{"SparseInADictionary", Output("{2: [x.to_sparse()]}"),
                         "forward([1, 3, 28, 42])[2][0] is a tensor of layout"}),
    [](const auto& info) { return info.param.name; });

TEST(HostilePluginsTest, KeysOfADictionaryMayBeNumbers) {
  for (const char* output : {"{1: x}", "{1.5: x}", "{True: x}"}) {
    const std::string folder = EmptyFolder("keys");
    WritePlugin(folder, Output(output));
    const ToolResult result = Export(folder);
    EXPECT_EQ(result.exit_status, 0) << result.err;
  }
}

TEST(HostilePluginsTest, AVariantCannotLeaveItsFolder) {
  const std::string folder = EmptyFolder("escape");
  fs::create_directory(folder + "/inner");
  WritePlugin(folder + "/inner", {{"plugin.yaml", "toy_small:", "../../escape:"}});
  const ToolResult result = RunTool(
      "package", {"--model=../../escape", "--weights=seeded", "--plugin_path=toy", "--target=nuke", "--out=out"},
      folder + "/inner", [] { LimitMemoryAndTime(kMaxYamlSize); });
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, AllOf(StartsWith("INVALID_ARGUMENT: toy/plugin.yaml:"),
                                HasSubstr("variant \"../../escape\" is not a valid name")));
  EXPECT_THAT(FileNames(folder), ElementsAre("inner"));
  EXPECT_THAT(FileNames(folder + "/inner"), ElementsAre("toy"));
}

TEST(HostilePluginsTest, AFileNamedYmlIsNamed) {
  const std::string folder = EmptyFolder("yml");
  WritePlugin(folder, {});
  fs::rename(folder + "/toy/plugin.yaml", folder + "/toy/plugin.yml");
  const ToolResult result = Export(folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.err, "INVALID_ARGUMENT: toy/plugin.yml: a plugin's files end in .yaml; rename it\n");
}

}  // namespace
}  // namespace modelport
