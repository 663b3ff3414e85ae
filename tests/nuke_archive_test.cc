// The code of artifacts for Nuke.
#include <caffe2/serialize/inline_container.h>

#include <regex>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "common/proof/round_trip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/nuke_model.h"
#include "tests/test_models.h"

namespace modelport {
namespace {

using testing::ElementsAre;

// The TorchScript in the archive of `module`.
std::string Code(const torch::jit::Module& module) {
  const std::string path = testing::TempDir() + "/code.pt";
  module.save(path);
  caffe2::serialize::PyTorchStreamReader reader(path);
  std::string code;
  for (const std::string& record : reader.getAllRecords()) {
    if (!absl::EndsWith(record, ".py")) continue;
    const auto [data, size] = reader.getRecord(record);
    code.append(static_cast<const char*>(data.get()), size);
  }
  return code;
}

class NukeModelTest : public testing::TestWithParam<std::string> {
 protected:
  const NukeModel model_ = GetNukeModel(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Models, NukeModelTest, testing::ValuesIn(NukeTestModels()),
                         [](const auto& info) { return info.param; });

TEST_P(NukeModelTest, ForwardIsTheOnlyEntryPoint) {
  EXPECT_THAT(MethodSchemas(model_.nuke), ElementsAre("forward(Tensor x) -> Tensor"));
}

TEST(NukeArchiveTest, CodeThatForwardDoesNotReachIsGone) {
  const NukeModel model = GetNukeModel("tiny_any");
  const std::string plain = Code(model.plain), nuke = Code(model.nuke);
  for (const char* name : {"linalg_", "homograph", "harmonics"}) {
    EXPECT_TRUE(absl::StrContains(plain, name)) << name;
    EXPECT_FALSE(absl::StrContains(nuke, name)) << name;
  }
}

// Float64 is dtype 7 in TorchScript's code.
TEST_P(NukeModelTest, NoDeviceAndNoFloat64IsLiteral) {
  const std::string code = Code(model_.nuke);
  for (const char* literal : {"torch.device(", "\"cuda", "\"cpu", "float64", "dtype=7", ".double("}) {
    EXPECT_FALSE(absl::StrContains(code, literal)) << literal;
  }
  EXPECT_FALSE(std::regex_search(code, std::regex(R"(torch\.to\([^,]*, 7)")));
}

TEST_P(NukeModelTest, KnobsAreNumbers) {
  int knobs = 0;
  for (const auto& attribute : model_.nuke.named_attributes(/*recurse=*/false)) {
    // Every module has `training`, which no host offers as a knob.
    if (attribute.value.isModule() || attribute.name == "training") continue;
    EXPECT_TRUE(attribute.value.isInt() || attribute.value.isDouble()) << attribute.name;
    ++knobs;
  }
  EXPECT_GE(knobs, 1);
}

}  // namespace
}  // namespace modelport
