// The code of artifacts for Nuke.
#include <regex>
#include <string>

#include "absl/strings/match.h"
#include "common/torchscript/proof/round_trip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using testing::ElementsAre;

class NukeModelTest : public testing::TestWithParam<std::string> {
 protected:
  const NukeModel model_ = GetNukeModel(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Models, NukeModelTest, testing::ValuesIn(NukeTestModels()),
                         [](const auto& info) { return info.param; });

TEST_P(NukeModelTest, ForwardIsTheOnlyEntryPoint) {
  EXPECT_THAT(MethodSchemas(model_.nuke), ElementsAre("forward(Tensor x) -> Tensor"));
}

// Float64 is dtype 7 in TorchScript's code.
TEST_P(NukeModelTest, NoDeviceAndNoFloat64IsLiteral) {
  const std::string code = SavedCode(model_.nuke);
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
