// An artifact of demo_depth for an old LibTorch tells the depth of drawn scenes in that LibTorch itself.
//   old_runtime_test RUNTIME
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/demo_depth/tests/drawn_depth.h"
#include "tests/runtime/host_process.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

std::string* runtime;

TEST(OldRuntimeTest, TellsTheDepth) {
  const std::string folder = EmptyFolder("made");
  const ToolResult result = RunTool(
      "export", {"--model=demo_depth", "--target=nuke", "--runtime=" + *runtime, "--out=m.pt", "--noverify"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  std::vector<std::string> steps;
  for (const DrawnScene& scene : DrawnScenes()) {
    const at::Tensor image = HostImage(scene.picture);
    const std::string path = absl::StrCat(folder, "/", steps.size(), ".f32");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(image.const_data_ptr<float>()),
               static_cast<std::streamsize>(image.numel() * sizeof(float)));
    steps.push_back(absl::StrCat("forward ", path, ":1,3,", image.size(2), ",", image.size(3)));
  }
  ASSERT_OK_AND_ASSIGN(const c10::IValue values, RunHost(*runtime, folder + "/m.pt", steps));
  Accuracy accuracy;
  for (size_t i = 0; i < steps.size(); ++i) {
    // Each call has two results.
    accuracy.Add(values.toTupleRef().elements().at(2 * i).toTensor(), DrawnScenes()[i].depth);
  }
  std::printf("%s\n", testing::PrintToString(accuracy).c_str());
  // As demo_depth_test has it of today's LibTorch. Kernels differ from release to release by more than rounding does.
  EXPECT_NEAR(accuracy.error(), kErrorInNuke, 0.01 * kErrorInNuke);
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: old_runtime_test RUNTIME\n");
    return 1;
  }
  modelport::runtime = new std::string(argv[1]);
  return RUN_ALL_TESTS();
}
