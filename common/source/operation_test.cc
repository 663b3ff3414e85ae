#include "common/source/operation.h"

#include <cstring>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "common/source/operation_type.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// An array of `values`, which the test keeps.
Array MakeArray(const std::vector<int32_t>& values, Shape shape) {
  std::vector<int64_t> strides = RowMajorStrides(shape);
  return {{DType::kInt32, std::move(shape), std::move(strides), reinterpret_cast<const char*>(values.data())}};
}

std::vector<int32_t> Elements(const Array& array) {
  std::vector<int32_t> elements(*ElementCount(array.view.shape));
  CopyRowMajor(array.view, reinterpret_cast<char*>(elements.data()));
  return elements;
}

// 0, 1, 2, ... in a tensor of `shape`, and what the operation makes of it.
std::vector<int32_t> Applied(const char* name, std::vector<int64_t> arguments, const Shape& shape) {
  std::vector<int32_t> values(*ElementCount(shape));
  std::iota(values.begin(), values.end(), 0);
  const Operation operation = MakeOperation(name, std::move(arguments)).value();
  EXPECT_OK(operation.Shapes({shape}));
  return Elements(operation.Apply({MakeArray(values, shape)})[0]);
}

TEST(OperationTest, ConcatenateJoinsAlongADimension) {
  const std::vector<int32_t> a = {0, 1, 2, 3}, b = {4, 5, 6, 7};
  const std::vector<Array> arrays = {MakeArray(a, {2, 2}), MakeArray(b, {2, 2})};
  EXPECT_THAT(Elements(MakeOperation("concatenate", {0}).value().Apply(arrays)[0]),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(Elements(MakeOperation("concatenate", {1}).value().Apply(arrays)[0]),
              ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

TEST(OperationTest, ChunkCutsIntoEqualTensors) {
  const std::vector<int32_t> values = {0, 1, 2, 3, 4, 5};
  const std::vector<Array> chunks = MakeOperation("chunk", {3, 1}).value().Apply({MakeArray(values, {2, 3})});
  ASSERT_EQ(chunks.size(), 3);
  EXPECT_THAT(Elements(chunks[2]), ElementsAre(2, 5));
  EXPECT_EQ(chunks[2].memory, nullptr);
}

TEST(OperationTest, OthersOrderTheElementsOfEachTensor) {
  EXPECT_THAT(Applied("transpose", {0, 1}, {2, 3}), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(Applied("reshape", {3, -1}, {2, 3}), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(Applied("swap_halves", {0}, {4}), ElementsAre(2, 3, 0, 1));
  EXPECT_THAT(Applied("swap_halves", {1}, {1, 2}), ElementsAre(1, 0));
  EXPECT_THAT(Applied("deinterleave", {0, 4}, {8}), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
  EXPECT_THAT(Applied("deinterleave", {0, 6}, {6}), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(Applied("interleave", {0, 6}, {6}), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(Applied("swap_groups", {0, 2, 3}, {6}), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(Applied("swap_groups", {1, 2, 2}, {1, 8}), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  EXPECT_THAT(Applied("prepend_zeros", {1}, {1, 1, 2}), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(Applied("drop_first", {0}, {3}), ElementsAre(1, 2));
}

// Random shapes and arguments for every operation.
class RandomOperation {
 public:
  explicit RandomOperation(int seed) : random_(seed) {}

  int64_t Draw(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

  // Arguments that the type accepts. Most fit most of the shapes of `DrawShape`.
  std::vector<int64_t> DrawArguments(const OperationType& type) {
    const absl::string_view parameters = type.parameters();
    if (parameters == "dim") return {Draw(0, 2)};
    if (parameters == "count, dim") return {Draw(1, 3), Draw(0, 2)};
    if (parameters == "a, b") return {Draw(0, 2), Draw(0, 2)};
    if (parameters == "dim, head") return {Draw(0, 2), 2 * Draw(1, 3)};
    if (parameters == "dim, outer, inner") return {Draw(0, 2), Draw(1, 3), Draw(1, 2)};
    if (parameters == "size, ...") return {-1, Draw(1, 3)};
    ADD_FAILURE() << "the test draws no arguments for " << type.name() << "(" << parameters << ")";
    return {};
  }

  Shape DrawShape() { return {Draw(0, 3) * 6, Draw(1, 2) * 6, Draw(1, 2) * 12}; }

 private:
  std::mt19937 random_;
};

// Row-major arrays of different values, and transposed ones, which are not row-major.
std::vector<Array> DrawArrays(size_t count, const Shape& shape, std::vector<std::vector<int32_t>>* values) {
  std::vector<Array> arrays;
  for (size_t i = 0; i < count; ++i) {
    std::vector<int32_t>& elements = values->emplace_back(*ElementCount(shape));
    std::iota(elements.begin(), elements.end(), static_cast<int32_t>(1 + i * elements.size()));
    arrays.push_back(MakeArray(elements, i % 2 == 0 ? shape : Shape{shape[2], shape[1], shape[0]}));
    if (i % 2 == 0) continue;
    std::swap(arrays.back().view.shape[0], arrays.back().view.shape[2]);
    std::swap(arrays.back().view.strides[0], arrays.back().view.strides[2]);
  }
  return arrays;
}

class EveryOperationTest : public testing::TestWithParam<const OperationType*> {};

TEST_P(EveryOperationTest, GivesTheShapesThatItStatesAndItsInverseGivesTheInputsBack) {
  RandomOperation random(7);
  int applied = 0, inverted = 0;
  for (int round = 0; round < 200; ++round) {
    const Operation operation = MakeOperation(GetParam()->name(), random.DrawArguments(*GetParam())).value();
    const size_t count = CountResults({operation}, 3) ? 3 : 1;
    const Shape shape = random.DrawShape();
    const absl::StatusOr<std::vector<Shape>> shapes = operation.Shapes(std::vector<Shape>(count, shape));
    if (!shapes.ok()) continue;
    ++applied;
    std::vector<std::vector<int32_t>> values;
    const std::vector<Array> inputs = DrawArrays(count, shape, &values);
    const std::vector<Array> results = operation.Apply(inputs);
    ASSERT_EQ(results.size(), *CountResults({operation}, count));
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i].view.shape, (*shapes)[i]) << operation.text();
      if (!operation.copies()) {
        EXPECT_EQ(results[i].memory, nullptr);
      }
    }
    const absl::optional<Operation> inverse = operation.Inverse(count);
    if (!inverse) continue;
    ++inverted;
    EXPECT_OK(inverse->Shapes(*shapes));
    const std::vector<Array> back = inverse->Apply(results);
    ASSERT_EQ(back.size(), count) << operation.text();
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(back[i].view.shape, shape) << operation.text();
      EXPECT_EQ(Elements(back[i]), Elements(inputs[i])) << operation.text();
    }
  }
  EXPECT_GT(applied, 20);
  const bool is_one_way = GetParam()->name() == "reshape" || GetParam()->name() == "drop_first";
  EXPECT_EQ(inverted, is_one_way ? 0 : applied);
}

std::vector<const OperationType*> AllTypes() {
  std::vector<const OperationType*> types(JoiningOperations().begin(), JoiningOperations().end());
  types.insert(types.end(), OrderingOperations().begin(), OrderingOperations().end());
  return types;
}

INSTANTIATE_TEST_SUITE_P(All, EveryOperationTest, testing::ValuesIn(AllTypes()),
                         [](const auto& info) { return std::string(info.param->name()); });

TEST(OperationTest, ShapesThatDoNotFitAreErrors) {
  const auto message = [](const char* name, std::vector<int64_t> arguments, const std::vector<Shape>& shapes) {
    return std::string(MakeOperation(name, std::move(arguments)).value().Shapes(shapes).status().message());
  };
  EXPECT_EQ(message("concatenate", {0}, {{2, 3}, {2, 4}}), "the tensors have different shapes: [2, 3] and [2, 4]");
  EXPECT_EQ(message("concatenate", {2}, {{2, 3}}), "[2, 3] has no dimension 2");
  EXPECT_EQ(message("chunk", {3, 0}, {{64, 384}}), "3 does not divide dimension 0 of [64, 384]");
  EXPECT_EQ(message("transpose", {0, 1}, {{5}}), "[5] has no dimension 1");
  EXPECT_EQ(message("reshape", {4, -1}, {{2, 3}}), "[2, 3] has another number of elements");
  EXPECT_EQ(message("swap_halves", {0}, {{3}}), "2 does not divide dimension 0 of [3]");
  EXPECT_EQ(message("interleave", {0, 4}, {{6}}), "4 does not divide dimension 0 of [6]");
  EXPECT_EQ(message("swap_groups", {0, 4, 3}, {{18}}), "12 does not divide dimension 0 of [18]");
  EXPECT_EQ(message("prepend_zeros", {1}, {{int64_t{1} << 62, 3, 0}}), "");
  EXPECT_THAT(message("prepend_zeros", {1}, {{int64_t{1} << 62, 3}}), HasSubstr("has too many elements"));
  EXPECT_EQ(message("drop_first", {0}, {{0, 2}}), "[0, 2] has no element in dimension 0");
}

TEST(OperationTest, UnknownNamesAndArgumentsAreErrors) {
  EXPECT_THAT(MakeOperation("concat", {0}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("unknown operation \"concat\""), HasSubstr("nearest"))));
  EXPECT_THAT(MakeOperation("chunk", {0, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("wants chunk(count, dim), has chunk(0, 0)")));
  for (const auto& [name, arguments] :
       std::vector<std::pair<const char*, std::vector<int64_t>>>{{"concatenate", {}},
                                                                 {"concatenate", {-1}},
                                                                 {"chunk", {3}},
                                                                 {"transpose", {0}},
                                                                 {"reshape", {-1, -1}},
                                                                 {"reshape", {0}},
                                                                 {"swap_halves", {0, 1}},
                                                                 {"swap_groups", {0, 2}},
                                                                 {"swap_groups", {0, 0, 2}},
                                                                 {"interleave", {0, 3}},
                                                                 {"deinterleave", {0, 0}}}) {
    EXPECT_THAT(MakeOperation(name, arguments), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("wants")))
        << name;
  }
}

TEST(OperationTest, ResultsAreCounted) {
  const Operation concatenate = MakeOperation("concatenate", {0}).value(),
                  chunk = MakeOperation("chunk", {3, 0}).value();
  EXPECT_EQ(CountResults({}, 2), 2);
  EXPECT_EQ(CountResults({concatenate}, 2), 1);
  EXPECT_EQ(CountResults({concatenate, chunk}, 2), 3);
  EXPECT_EQ(CountResults({chunk}, 2), absl::nullopt);
  EXPECT_EQ(CountResults({concatenate}, 0), absl::nullopt);
}

}  // namespace
}  // namespace modelport
