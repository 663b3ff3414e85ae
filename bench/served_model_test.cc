#include "bench/served_model.h"

#include <ATen/TensorOperators.h>

#include <sstream>
#include <string>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

// Multiplies a tensor by a number.
class Product : public ServedModel {
 public:
  absl::Status SetThreads(int threads) override {
    threads_ = threads;
    return absl::OkStatus();
  }
  absl::Status Run(const std::vector<c10::IValue>& inputs) override {
    output_ = inputs[0].toTensor() * inputs[1].toInt();
    return absl::OkStatus();
  }
  absl::StatusOr<at::Tensor> LastOutput(absl::string_view) override { return output_; }

  at::Tensor output_;
  int threads_ = 0;
};

TEST(ServedModelTest, AnswersLines) {
  Product model;
  std::istringstream questions("run 2 1,5 10\n");
  std::ostringstream answers;
  ASSERT_OK(Serve(model, questions, answers));
  EXPECT_EQ(model.threads_, 2);
  ASSERT_EQ(model.output_.sizes(), at::IntArrayRef({1, 5}));
  EXPECT_EQ(model.output_[0][4].item<float>(), 20);
  EXPECT_THAT(answers.str(), ContainsRegex("^ready [0-9]+\n[^ ]+ [^ ]+ [0-9]+\n$"));
}

TEST(ServedModelTest, RefusesOtherLines) {
  Product model;
  std::ostringstream answers;
  for (const std::string line : {"walk 2 1,5", "run", "run two 1,5", "run 2 1,x", "save"}) {
    std::istringstream questions(line);
    EXPECT_THAT(Serve(model, questions, answers), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no ")))
        << line;
  }
  std::istringstream kernels("kernels 1 1,5 2");
  EXPECT_THAT(Serve(model, kernels, answers), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("not measured")));
}

}  // namespace
}  // namespace modelport
