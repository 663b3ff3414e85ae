#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/operation/operation.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Array FloatArray(const std::vector<double>& values, Shape shape, DType dtype = DType::kFloat32) {
  auto [array, memory] = NewArray(dtype, std::move(shape));
  EXPECT_OK(WriteReals(values, dtype, memory));
  return array;
}

std::vector<double> RealsOf(const Array& array) {
  return ReadReals(array.view.dtype, array.view.data, *ElementCount(array.view.shape));
}

// The results, of which each has the shape and the dtype that are stated for it.
absl::StatusOr<std::vector<Array>> Merged(const char* name, std::vector<int64_t> arguments,
                                          const std::vector<Array>& inputs) {
  ASSIGN_OR_RETURN(const Operation operation, MakeOperation(name, std::move(arguments)));
  DType dtype = inputs[0].view.dtype;
  std::vector<Shape> shapes;
  for (const Array& input : inputs) shapes.push_back(input.view.shape);
  EXPECT_TRUE(operation.ChangesNumbers(shapes));
  RETURN_IF_ERROR(operation.Infer(&dtype, &shapes));
  ASSIGN_OR_RETURN(const std::vector<Array> results, operation.Apply(inputs));
  EXPECT_EQ(results.size(), shapes.size());
  EXPECT_EQ(CountResults({operation}, inputs.size()), results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].view.shape, shapes[i]);
    EXPECT_EQ(results[i].view.dtype, dtype);
  }
  return results;
}

TEST(ConvolutionOperationTest, AChainSumsOverTheChannelsBetween) {
  ASSERT_OK_AND_ASSIGN(const std::vector<Array> results,
                       Merged("chain_convolutions", {2},
                              {FloatArray({2, 3}, {2, 1, 1, 1}), FloatArray({1, 10}, {2}),
                               FloatArray({1, 2, 3, 4}, {1, 2, 1, 2}), FloatArray({5}, {1})}));
  EXPECT_THAT(RealsOf(results[0]), ElementsAre(11, 16));
  EXPECT_THAT(RealsOf(results[1]), ElementsAre(78));  // 5 + 1 * (1 + 2) + 10 * (3 + 4)
}

TEST(ConvolutionOperationTest, KernelsOfAChainGrow) {
  const Array zero = FloatArray({0}, {1});
  ASSERT_OK_AND_ASSIGN(std::vector<Array> results,
                       Merged("chain_convolutions", {2},
                              {FloatArray({1, 2}, {1, 1, 1, 2}), zero, FloatArray({3, 4}, {1, 1, 1, 2}), zero}));
  EXPECT_THAT(RealsOf(results[0]), ElementsAre(3, 10, 8));
  ASSERT_OK_AND_ASSIGN(results, Merged("chain_convolutions", {3},
                                       {FloatArray({1, 2}, {1, 1, 1, 2}), zero, FloatArray({2}, {1, 1, 1, 1}), zero,
                                        FloatArray({3, 4}, {1, 1, 2, 1}), zero}));
  EXPECT_THAT(RealsOf(results[0]), ElementsAre(6, 12, 8, 16));
}

TEST(ConvolutionOperationTest, WhatIsBehindAChainStays) {
  const Array one = FloatArray({1}, {1});
  ASSERT_OK_AND_ASSIGN(const std::vector<Array> results,
                       Merged("chain_convolutions", {2},
                              {FloatArray({2}, {1, 1, 1, 1}), one, FloatArray({3}, {1, 1, 1, 1}), one,
                               FloatArray({7, 8}, {1, 2, 1, 1}), FloatArray({9}, {1})}));
  EXPECT_THAT(RealsOf(results[0]), ElementsAre(6));
  EXPECT_THAT(RealsOf(results[2]), ElementsAre(7, 8));
  EXPECT_THAT(RealsOf(results[3]), ElementsAre(9));
}

TEST(ConvolutionOperationTest, KernelsAreAddedAtTheirMiddle) {
  ASSERT_OK_AND_ASSIGN(const std::vector<Array> results,
                       Merged("add_convolutions", {3},
                              {FloatArray({100}, {1, 1, 1, 1}), FloatArray({1}, {1}),
                               FloatArray({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1, 3, 3}), FloatArray({2}, {1}),
                               FloatArray({10, 20, 30}, {1, 1, 1, 3}), FloatArray({4}, {1})}));
  EXPECT_THAT(RealsOf(results[0]), ElementsAre(1, 2, 3, 14, 125, 36, 7, 8, 9));
  EXPECT_THAT(RealsOf(results[1]), ElementsAre(7));
}

// 1 + 2^-24 is no float32: rounded after each step, the sum would stay 1.
TEST(ConvolutionOperationTest, SumsAreRoundedOnce) {
  const double tiny = std::numeric_limits<float>::epsilon() / 2;
  const auto sum = [&](DType dtype) -> absl::StatusOr<double> {
    std::vector<Array> inputs;
    for (const double value : {1.0, tiny, tiny}) {
      inputs.push_back(FloatArray({value}, {1, 1, 1, 1}, dtype));
      inputs.push_back(FloatArray({0}, {1}, dtype));
    }
    ASSIGN_OR_RETURN(const std::vector<Array> results, Merged("add_convolutions", {3}, inputs));
    EXPECT_EQ(results[0].view.dtype, dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32);
    return RealsOf(results[0])[0];
  };
  for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    ASSERT_OK_AND_ASSIGN(const double rounded, sum(dtype));
    EXPECT_EQ(rounded, 1 + 2 * tiny) << DTypeName(dtype);
  }
}

TEST(ConvolutionOperationTest, NumbersThatTheResultCannotHoldAreErrors) {
  const double max = std::numeric_limits<float>::max();
  const Array weight = FloatArray({max}, {1, 1, 1, 1}), bias = FloatArray({0}, {1});
  EXPECT_THAT(Merged("add_convolutions", {2}, {weight, bias, weight, bias}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("float32 does not hold")));
}

TEST(ConvolutionOperationTest, WhatIsNoConvolutionIsAnError) {
  const auto message = [](const char* name, std::vector<int64_t> arguments, std::vector<Shape> shapes,
                          DType dtype = DType::kFloat32) {
    return std::string(MakeOperation(name, std::move(arguments)).value().Infer(&dtype, &shapes).message());
  };
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(message("add_convolutions", {2}, {{4, 3}, {4}, {4, 3, 1, 1}, {4}}),
            "[4, 3] and [4] are not the weight and the bias of a convolution");
  EXPECT_EQ(message("add_convolutions", {2}, {{4, 3, 1, 1}, {3}, {4, 3, 1, 1}, {4}}),
            "[4, 3, 1, 1] and [3] are not the weight and the bias of a convolution");
  EXPECT_EQ(message("add_convolutions", {2}, {{4, 3, 3, 3}, {4}, {4, 3, 2, 2}, {4}}),
            "convolutions of [4, 3, 3, 3] and [4, 3, 2, 2] have no sum");
  EXPECT_EQ(message("add_convolutions", {2}, {{4, 3, 3, 3}, {4}, {4, 4, 3, 3}, {4}}),
            "convolutions of [4, 3, 3, 3] and [4, 4, 3, 3] have no sum");
  EXPECT_EQ(message("chain_convolutions", {2}, {{4, 3, 1, 1}, {4}, {3, 3, 1, 1}, {3}}),
            "a convolution of [3, 3, 1, 1] does not take what one of [4, 3, 1, 1] gives");
  EXPECT_THAT(message("chain_convolutions", {2}, {{0, 3, kMax, 1}, {0}, {3, 0, 2, 1}, {3}}),
              HasSubstr("has too many elements"));
  EXPECT_EQ(message("add_convolutions", {2}, {{4, 3, 3, 3}, {4}, {4, 3, 1, 1}, {4}}, DType::kInt64),
            "wants a floating dtype, has int64");
}

TEST(ConvolutionOperationTest, TensorsComeInPairs) {
  const Operation chain = MakeOperation("chain_convolutions", {3}).value(),
                  add = MakeOperation("add_convolutions", {2}).value();
  EXPECT_EQ(CountResults({chain}, 8), 4);
  EXPECT_EQ(CountResults({chain, add}, 8), 2);
  EXPECT_EQ(CountResults({chain}, 4), absl::nullopt);
  EXPECT_EQ(CountResults({chain}, 7), absl::nullopt);
  EXPECT_EQ(CountResults({add}, 3), absl::nullopt);
  EXPECT_EQ(CountResults({add}, 6), 4);
  EXPECT_EQ(chain.Inverse(6), absl::nullopt);
  for (const char* name : {"chain_convolutions", "add_convolutions"}) {
    for (const int64_t count : {-1, 0, 1, 101}) {
      EXPECT_THAT(MakeOperation(name, {count}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("wants")));
    }
  }
}

}  // namespace
}  // namespace modelport
