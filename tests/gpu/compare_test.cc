// The host of the runtime tests with its device, and the comparison of its results.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::HasSubstr;

class CompareTest : public testing::Test {
 protected:
  // Runs an artifact with seeded weights by the host, with these steps.
  void Host(const std::string& seed, const std::vector<std::string>& steps, const std::string& results) {
    const ToolResult exported = RunTool("export",
                                        {"--model=" + DepthModel(), "--plugin_path=" + DataPath("models"),
                                         "--weights=seeded:" + seed, "--noverify", "--out=m.pt"},
                                        folder_);
    ASSERT_EQ(exported.exit_status, 0) << exported.err;
    std::vector<std::string> arguments = {"--device=cpu", "m.pt", "copy.pt", results};
    arguments.insert(arguments.end(), steps.begin(), steps.end());
    const ToolResult host = FinishTool(StartProgram("tests/runtime/host_2.13", arguments, folder_));
    ASSERT_EQ(host.exit_status, 0) << host.err;
  }

  ToolResult Compare(const std::string& expected, const std::string& actual) {
    return FinishTool(StartProgram("tests/gpu/compare", {expected, actual}, folder_));
  }

  // The difference that the program prints.
  double Difference(const std::string& expected, const std::string& actual) {
    const ToolResult compared = Compare(expected, actual);
    EXPECT_EQ(compared.exit_status, 0) << compared.err;
    EXPECT_THAT(compared.out, HasSubstr(" results["));
    return std::stod(compared.out);
  }

  const std::string folder_ = EmptyFolder("compare");
};

TEST_F(CompareTest, MeasuresPrecisionAndOtherWeights) {
  const std::string call = "forward 1,3,28,28";
  Host("1", {call}, "other");
  Host("0", {call}, "float32");
  Host("0", {"bfloat16", call}, "bfloat16");
  Host("0", {"forward 1,3,28,42"}, "larger");
  EXPECT_EQ(Difference("float32", "float32"), 0);
  // The weights' rounding is one of 2^-9; a result that is exactly float32's was not computed in bfloat16.
  EXPECT_GT(Difference("float32", "bfloat16"), 1.0 / (1 << 12));
  EXPECT_LT(Difference("float32", "bfloat16"), 0.2);
  EXPECT_GT(Difference("float32", "other"), 0.2);

  const ToolResult shapes = Compare("float32", "larger");
  EXPECT_EQ(shapes.exit_status, 1);
  EXPECT_THAT(shapes.err, HasSubstr("results[0]: the structures or shapes differ"));
  const ToolResult missing = Compare("float32", "none");
  EXPECT_EQ(missing.exit_status, 1);
  EXPECT_THAT(missing.err, HasSubstr("none cannot be read"));
}

TEST_F(CompareTest, HostNamesADeviceThatIsNotThere) {
  const ToolResult host =
      FinishTool(StartProgram("tests/runtime/host_2.13", {"--device=cuda:99", "m.pt", "copy.pt", "results"}, folder_));
  EXPECT_EQ(host.exit_status, 1);
  EXPECT_THAT(host.err, HasSubstr("--device=cuda:99: this LibTorch finds "));
}

}  // namespace
}  // namespace modelport
