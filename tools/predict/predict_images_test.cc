#include "tools/predict/predict_images.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// An artifact whose method `labels` returns `result`.
LoadedArtifact WithLabels(const std::string& result) {
  LoadedArtifact artifact = {.path = "model.pt", .module = torch::jit::Module("model")};
  artifact.module.define("def labels(self):\n  return " + result + "\n");
  return artifact;
}

void ExpectRefused(const std::string& result, const std::string& message) {
  EXPECT_THAT(
      BestLabels(WithLabels(result), at::tensor({1.0f, 2.0f})),
      StatusIs(absl::StatusCode::kFailedPrecondition, AllOf(HasSubstr("model.pt: labels()"), HasSubstr(message))));
}

TEST(BestLabels, AreTheHighestFiveWithTheirNames) {
  ASSERT_OK_AND_ASSIGN(const std::vector<Label> labels,
                       BestLabels(WithLabels(R"(["a", "b", "c", "d", "e", "f"])"), at::arange(6, at::kFloat)));
  ASSERT_EQ(labels.size(), 5);
  EXPECT_EQ(labels[0].index, 5);
  EXPECT_EQ(labels[0].name, "f");
  EXPECT_NEAR(labels[0].probability, 0.6337, 1e-4);
  EXPECT_EQ(labels[4].name, "b");
}

TEST(BestLabels, NeedNoNames) {
  const LoadedArtifact artifact = {.path = "model.pt", .module = torch::jit::Module("model")};
  ASSERT_OK_AND_ASSIGN(const std::vector<Label> labels, BestLabels(artifact, at::tensor({1.0f, 2.0f})));
  ASSERT_EQ(labels.size(), 2);
  EXPECT_EQ(labels[0].name, "");
}

TEST(BestLabels, RefusesNamesThatFitNoClass) {
  ExpectRefused(R"(["a"])", "wants a name for each of 2 classes, gives 1");
  ExpectRefused("[1, 2]", "wants to give List[str], gives List[int]");
  ExpectRefused(R"("a, b")", "wants to give List[str], gives str");
}

}  // namespace
}  // namespace modelport
