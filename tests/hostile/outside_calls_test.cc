// Artifacts whose code calls operators that reach files, or runs while LibTorch loads it: the tools that run the code
// of artifacts refuse them, and the others do not run it.
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/torchscript/archive/testing/archive_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"
#include "tools/image/testing/sample_images.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct Call {
  std::string name;
  std::string code;    // Methods of the model's root. PATH stands for a file that they would write or make.
  std::string effect;  // In the message.

  friend void PrintTo(const Call& call, std::ostream* out) { *out << call.name; }
};

class OutsideCallsTest : public testing::TestWithParam<Call> {
 protected:
  // Writes m.pt, an artifact for predict, with these methods. The manifest within the archive stays.
  void SetUp() override {
    const ToolResult result = RunTool("export",
                                      {"--model=" + DepthModel(), "--plugin_path=" + DataPath("models"),
                                       "--weights=seeded", "--with_preprocess", "--out=m.pt", "--noverify"},
                                      folder_);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    std::ofstream(folder_ + "/photo.png", std::ios::binary) << MakePng({.width = 40, .height = 30});
    fs::remove(folder_ + "/m.manifest.json");
    fs::copy(folder_ + "/m.pt", folder_ + "/harmless.pt");
    AlterArchive(folder_ + "/m.pt", [&](Records& records) {
      std::string code = GetParam().code;
      code.replace(code.find("PATH"), 4, written_);
      std::string& text = Content(records, "code/__torch__/modelport.py");
      text.insert(text.find("  def forward("), code);
    });
  }

  void ExpectRefused(const std::string& tool, const std::vector<std::string>& arguments) const {
    const ToolResult result = RunTool(tool, arguments, folder_);
    EXPECT_EQ(result.exit_status, 1) << tool;
    EXPECT_THAT(result.err, AllOf(StartsWith("FAILED_PRECONDITION: m.pt: code/__torch__/modelport.py:"),
                                  HasSubstr(GetParam().effect)))
        << tool;
    EXPECT_FALSE(fs::exists(written_)) << tool;
  }

  const std::string folder_ = EmptyFolder("outside"), written_ = folder_ + "/written";
};

TEST_P(OutsideCallsTest, AreRefusedByTheToolsThatRunCode) {
  ExpectRefused("predict", {"--artifact=m.pt", "--input=photo.png", "--out=out.png"});
  ExpectRefused("predict", {"--artifact=harmless.pt", "--compare=m.pt", "--input=photo.png"});
  ExpectRefused("parity", {"--artifact=m.pt", "--save_stages=stages.safetensors"});
  ExpectRefused("parity", {"--model=" + DepthModel(), "--plugin_path=" + DataPath("models"), "--weights=seeded",
                           "--reference=m.pt"});
  // lint loads a file in a process without rights, where it may run.
  EXPECT_EQ(RunTool("lint", {"m.pt"}, folder_).exit_status, 1);
  EXPECT_FALSE(fs::exists(written_));
}

TEST_P(OutsideCallsTest, AreNotMadeByTheOtherTools) {
  EXPECT_EQ(RunTool("inspect", {"--artifact=m.pt"}, folder_).exit_status, 0);
  EXPECT_EQ(RunTool("verify", {"m.pt", "--plugin_path=" + DataPath("models")}, folder_).exit_status, 1);
  RunTool("diff", {"harmless.pt", "m.pt"}, folder_);
  EXPECT_FALSE(fs::exists(written_));
}

// LibTorch runs __setstate__ to load a file. The archive's own methods have the names of the operators.
INSTANTIATE_TEST_SUITE_P(
    Calls, OutsideCallsTest,
    testing::Values(
        Call{"SetState",
             "  def __setstate__(self, state: Tensor) -> NoneType:\n    torch.save(state, \"PATH\")\n    return None\n",
             "defines __setstate__, which runs while the file is loaded"},
        Call{"FromFileInSetState",
             "  def from_file(self) -> NoneType:\n    return None\n"
             "  def __setstate__(self, state: Tensor) -> NoneType:\n"
             "    y = (torch).from_file(\"PATH\", True, 24, dtype=0)\n    return None\n",
             "defines __setstate__, which runs while the file is loaded"},
        Call{"Save", "  def save(self, x: Tensor) -> NoneType:\n    torch.save(x, \"PATH\")\n    return None\n",
             "calls aten::save, which writes files"},
        Call{"OtherNameOfTorch",
             "  def save(self, x: Tensor) -> NoneType:\n    t = torch\n    t.save(x, \"PATH\")\n    return None\n",
             "calls aten::save, which writes files"},
        Call{"Getattr",
             "  def save(self, x: Tensor) -> NoneType:\n"
             "    getattr(torch, \"s\\141ve\")(x, \"PATH\")\n    return None\n",
             "calls aten::save, which writes files"},
        Call{"FromFile", "  def from_file(self) -> Tensor:\n    return torch.from_file(\"PATH\", True, 8)\n",
             "calls aten::from_file, which reads and writes files"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace modelport
