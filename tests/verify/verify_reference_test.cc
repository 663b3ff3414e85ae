// verify --reference holds an artifact against what upstream's model computed: it passes for the ported model and fails
// for one with a fault that no other check sees.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/goldens/golden_case.h"
#include "tests/support/examples.h"
#include "tests/support/reference_file.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

// The tensors of a reference by the names of the golden's stages, which has these whole: the output and two stages.
const std::vector<std::pair<std::string, std::string>>& Names() {
  static const auto* const names = new std::vector<std::pair<std::string, std::string>>{
      {"depth", "output"}, {"block.0", "pretrained.blocks.0"}, {"project.3", "depth_head.projects.3"}};
  return *names;
}

class VerifyReferenceTest : public testing::Test {
 protected:
  // Exports a variant `ported` of the family with this root.
  void Export(const std::string& module) {
    std::ofstream(folder_ + "/plugin.yaml") << "family: own\nsummary: s\nextends: " + ExampleFamily("depth") +
                                                   "\nvariants: {ported: {summary: s, module: \""
                                            << module << "\"}}\n";
    const ToolResult result =
        RunTool("export", {"--model=ported", "--plugin_path=.", "--weights=seeded", "--out=m.pt"}, folder_);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }

  // Verifies it against the golden, whose tensors `change` may alter, as a reference of `model`.
  ToolResult Verify(
      const std::string& model, const std::vector<std::string>& flags = {},
      void (*change)(std::vector<NamedTensor>&) = [](std::vector<NamedTensor>&) {}) {
    auto golden = ReadGoldenCase(ExampleGoldens("depth") + "/56x56_b1.json");
    EXPECT_OK(golden);
    std::vector<NamedTensor> tensors = {{"input.x", golden->input()}};
    for (const auto& [stage, name] : Names()) tensors.emplace_back(name, golden->tensors.at(stage));
    change(tensors);
    std::ofstream(folder_ + "/r.safetensors", std::ios::binary) << ReferenceBytes(model, tensors);
    std::vector<std::string> arguments = {"--artifact=m.pt", "--plugin_path=.", "--reference=r.safetensors"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return RunTool("verify", arguments, folder_);
  }

  const std::string folder_ = EmptyFolder("ported");
};

TEST_F(VerifyReferenceTest, ThePortedModelPasses) {
  Export(ExampleModule("depth"));
  const ToolResult result = Verify("ported");
  EXPECT_EQ(result.exit_status, 0) << result.out << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("ported from seeded:v1:0\n"
                                     "  reached      code, the last of three: this release makes the same file\n"
                                     "  passed       every byte as Modelport writes it\n"));
  const std::string number = "[0-9.]+(e-[0-9]+)?";
  EXPECT_THAT(result.out, AllOf(ContainsRegex("\n  passed       reference output \\[1, 56, 56\\]: max diff " + number +
                                              ", tolerance " + number + "\n"),
                                HasSubstr("  passed       reference pretrained.blocks.0 [1, 17, 24]: max diff "),
                                HasSubstr("  passed       reference depth_head.projects.3 ")));
}

TEST_F(VerifyReferenceTest, SaysWhatCannotBeComparedAndWhatTheReferenceLacks) {
  Export(ExampleModule("depth"));
  const ToolResult result = Verify("ported", {}, [](std::vector<NamedTensor>& tensors) {
    tensors.erase(tensors.begin() + 1);
    tensors[1].second = tensors[1].second.narrow(1, 0, 16).clone();
  });
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("  failed       reference pretrained.blocks.0 [1, 16, 24]: wants Float "
                                          "[1, 16, 24], has Float [1, 17, 24]\n"),
                                HasSubstr("  not checked  outputs that the reference lacks: output\n")));
}

// What dump_stages.py writes for parity has stages under upstream's names and in upstream's shapes.
TEST_F(VerifyReferenceTest, AReferenceForParityServesToo) {
  Export(ExampleModule("depth"));
  const ToolResult result = Verify("ported", {}, [](std::vector<NamedTensor>& tensors) {
    tensors.emplace_back("encoder.dropout", tensors[2].second);
    tensors[2].second = tensors[2].second.view({1, 17, 4, 6});
  });
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("  passed       reference pretrained.blocks.0 [1, 17, 4, 6] as [1, 17, 24]: max diff "),
                    HasSubstr("  not checked  stages that the artifact does not pass: encoder.dropout\n")));
}

TEST_F(VerifyReferenceTest, SaysHowFarAnotherTextOfThePluginLetsItVerify) {
  Export(ExampleModule("depth"));
  std::ofstream(folder_ + "/plugin.yaml", std::ios::app) << "# another text\n";
  const ToolResult result = RunTool("verify", {"m.pt", "--plugin_path=.", "--at_least=file"}, folder_);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("ported from seeded:v1:0\n"
                                     "  reached      weights, the second of three: its tensors are those of their "
                                     "source, too\n"
                                     "  passed       sha256 as in the manifest\n"));
  EXPECT_THAT(result.out, HasSubstr("  not checked  code, outputs and the manifest's other fields: the artifact was "
                                    "made from another text of the plugin own"));
}

// Every check that needs no reference passes: key map, shapes and round trip know nothing of the number of heads.
TEST_F(VerifyReferenceTest, AWrongNumberOfHeadsFails) {
  std::string module = ExampleModule("depth");
  module.replace(module.find("heads=2"), 7, "heads=4");
  Export(module);
  const ToolResult result = Verify("ported");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("  passed       every byte as Modelport writes it\n"),
                                HasSubstr("  failed       reference output [1, 56, 56]: max diff ")));
  EXPECT_THAT(result.err,
              StartsWith("FAILED_PRECONDITION: r.safetensors: 3 of 3 tensors are not what the artifact computes: "
                         "pretrained.blocks.0, depth_head.projects.3, output\n"));
  EXPECT_EQ(Verify("ported", {"--tolerance=10"}).exit_status, 0);
}

TEST_F(VerifyReferenceTest, OneElementOfTheReferenceThatDiffersFails) {
  Export(ExampleModule("depth"));
  const ToolResult result = Verify("ported", {}, [](std::vector<NamedTensor>& tensors) {
    at::Tensor depth = tensors[1].second.clone();
    depth.view(-1)[1234] += 1e-2;
    tensors[1].second = depth;
  });
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("FAILED_PRECONDITION: r.safetensors: 1 of 3 tensors are not what the artifact "
                                     "computes: output\n"));
}

TEST_F(VerifyReferenceTest, AReferenceThatDoesNotFitIsRefused) {
  Export(ExampleModule("depth"));
  EXPECT_THAT(Verify(ExampleModel("published depth")).err,
              StartsWith("FAILED_PRECONDITION: r.safetensors: is a reference of " + ExampleModel("published depth") +
                         ", and the artifact is made "
                         "from ported\n"));
  EXPECT_EQ(Verify("ported", {}, [](std::vector<NamedTensor>& tensors) { tensors[0].first = "input.y"; }).err,
            "INVALID_ARGUMENT: r.safetensors: forward wants the argument x, a Tensor, which the file lacks\n");
  EXPECT_EQ(Verify("ported", {}, [](std::vector<NamedTensor>& tensors) { tensors.resize(1); }).err,
            "INVALID_ARGUMENT: r.safetensors: every tensor is an input: nothing to compare with; name what came out "
            "\"output\"\n");
  EXPECT_EQ(Verify("ported", {"--tolerance=-1"}).err, "INVALID_ARGUMENT: --tolerance=-1: wants a number from 0\n");
  EXPECT_EQ(RunTool("verify", {"--artifact=m.pt", "--tolerance=1"}, folder_).err,
            "INVALID_ARGUMENT: --tolerance changes nothing without --reference\n");
}

}  // namespace
}  // namespace modelport
