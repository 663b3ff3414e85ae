#include "common/operation/operation.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
constexpr DType kDTypeOf = std::is_same_v<T, float> ? DType::kFloat32 : DType::kInt32;

// An array of `values`, which the test keeps.
template <typename T>
Array MakeArray(const std::vector<T>& values, Shape shape) {
  std::vector<int64_t> strides = RowMajorStrides(shape);
  return {{kDTypeOf<T>, std::move(shape), std::move(strides), reinterpret_cast<const char*>(values.data())}};
}

template <typename T = int32_t>
std::vector<T> Elements(const Array& array) {
  EXPECT_EQ(array.view.dtype, kDTypeOf<T>);
  std::vector<T> elements(*ElementCount(array.view.shape));
  CopyRowMajor(array.view, reinterpret_cast<char*>(elements.data()));
  return elements;
}

// The shapes of the results for tensors of float32.
absl::StatusOr<std::vector<Shape>> ShapesOf(const Operation& operation, std::vector<Shape> shapes) {
  DType dtype = DType::kFloat32;
  const absl::Status status = operation.Infer(&dtype, &shapes);
  if (!status.ok()) return status;
  return shapes;
}

std::vector<int64_t> DTypes(DType from, DType to) { return {DTypeArgument(from), DTypeArgument(to)}; }

// 0, 1, 2, ... in a tensor of `shape`, and what the operation makes of it.
std::vector<int32_t> Applied(const char* name, std::vector<int64_t> arguments, const Shape& shape) {
  std::vector<int32_t> values(*ElementCount(shape));
  std::iota(values.begin(), values.end(), 0);
  const Operation operation = MakeOperation(name, std::move(arguments)).value();
  std::vector<Shape> shapes = {shape};
  DType dtype = DType::kInt32;
  EXPECT_OK(operation.Infer(&dtype, &shapes));
  return Elements(operation.Apply({MakeArray(values, shape)}).value()[0]);
}

TEST(OperationTest, ConcatenateJoinsAlongADimension) {
  const std::vector<int32_t> a = {0, 1, 2, 3}, b = {4, 5, 6, 7};
  const std::vector<Array> arrays = {MakeArray(a, {2, 2}), MakeArray(b, {2, 2})};
  EXPECT_THAT(Elements(MakeOperation("concatenate", {0}).value().Apply(arrays).value()[0]),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(Elements(MakeOperation("concatenate", {1}).value().Apply(arrays).value()[0]),
              ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

TEST(OperationTest, ChunkCutsIntoEqualTensors) {
  const std::vector<int32_t> values = {0, 1, 2, 3, 4, 5};
  const std::vector<Array> chunks = MakeOperation("chunk", {3, 1}).value().Apply({MakeArray(values, {2, 3})}).value();
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
    if (parameters == "from, to") return DTypes(DType::kFloat32, DrawDType());
    if (parameters == "dim, first, height, width") return {Draw(0, 2), 2 + 6 * Draw(0, 1), Draw(1, 5), Draw(1, 5)};
    ADD_FAILURE() << "the test draws no arguments for " << type.name() << "(" << parameters << ")";
    return {};
  }

  // Any that numbers are written to but float32.
  DType DrawDType() {
    constexpr DType kDTypes[] = {DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt64, DType::kInt32,
                                 DType::kInt16,   DType::kInt8,    DType::kUInt8,    DType::kBool};
    return kDTypes[Draw(0, 8)];
  }

  Shape DrawShape() { return {Draw(0, 3) * 6, Draw(1, 2) * 6, Draw(1, 2) * 12}; }

 private:
  std::mt19937 random_;
};

// Row-major arrays, and transposed ones, which are not row-major. Values are different up to `count_of_values`.
std::vector<Array> DrawArrays(size_t count, const Shape& shape, int count_of_values,
                              std::vector<std::vector<float>>* values) {
  std::vector<Array> arrays;
  for (size_t i = 0; i < count; ++i) {
    std::vector<float>& elements = values->emplace_back(*ElementCount(shape));
    for (size_t k = 0; k < elements.size(); ++k) elements[k] = (1 + i * elements.size() + k) % count_of_values;
    arrays.push_back(MakeArray(elements, i % 2 == 0 ? shape : Shape{shape[2], shape[1], shape[0]}));
    if (i % 2 == 0) continue;
    std::swap(arrays.back().view.shape[0], arrays.back().view.shape[2]);
    std::swap(arrays.back().view.strides[0], arrays.back().view.strides[2]);
  }
  return arrays;
}

// How many values from 0 on the dtypes of all results hold.
int CountOfValues(const Operation& operation) {
  if (operation.type->name() != "cast") return 1 << 20;
  return *ArgumentDType(operation.arguments[1]) == DType::kBool ? 2 : 128;
}

class EveryOperationTest : public testing::TestWithParam<const OperationType*> {};

TEST_P(EveryOperationTest, GivesTheShapesThatItStatesAndItsInverseGivesTheInputsBack) {
  RandomOperation random(7);
  int applied = 0, inverted = 0;
  for (int round = 0; round < 200; ++round) {
    const Operation operation = MakeOperation(GetParam()->name(), random.DrawArguments(*GetParam())).value();
    const size_t count = CountResults({operation}, 3) ? 3 : 1;
    const Shape shape = random.DrawShape();
    DType dtype = DType::kFloat32;
    std::vector<Shape> shapes(count, shape);
    if (!operation.Infer(&dtype, &shapes).ok()) continue;
    ++applied;
    std::vector<std::vector<float>> values;
    const std::vector<Array> inputs = DrawArrays(count, shape, CountOfValues(operation), &values);
    ASSERT_OK_AND_ASSIGN(const std::vector<Array> results, operation.Apply(inputs));
    ASSERT_EQ(results.size(), *CountResults({operation}, count));
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i].view.shape, shapes[i]) << operation.text();
      EXPECT_EQ(results[i].view.dtype, dtype) << operation.text();
      if (!operation.copies()) {
        EXPECT_EQ(results[i].memory, nullptr);
      }
    }
    const absl::optional<Operation> inverse = operation.Inverse(count);
    if (!inverse) continue;
    ++inverted;
    EXPECT_FALSE(operation.ChangesNumbers(std::vector<Shape>(count, shape))) << operation.text();
    EXPECT_OK(inverse->Infer(&dtype, &shapes));
    ASSERT_OK_AND_ASSIGN(const std::vector<Array> back, inverse->Apply(results));
    ASSERT_EQ(back.size(), count) << operation.text();
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(back[i].view.shape, shape) << operation.text();
      EXPECT_EQ(Elements<float>(back[i]), Elements<float>(inputs[i])) << operation.text();
    }
  }
  EXPECT_GT(applied, 20);
  const std::set<absl::string_view> one_way = {"reshape", "drop_first", "resample_bicubic", "resample_antialias"};
  EXPECT_EQ(inverted, one_way.count(GetParam()->name()) == 1 ? 0 : applied);
}

std::vector<const OperationType*> AllTypes() {
  std::vector<const OperationType*> types;
  for (const auto& some : {JoiningOperations(), OrderingOperations(), NumberOperations()}) {
    types.insert(types.end(), some.begin(), some.end());
  }
  return types;
}

INSTANTIATE_TEST_SUITE_P(All, EveryOperationTest, testing::ValuesIn(AllTypes()),
                         [](const auto& info) { return std::string(info.param->name()); });

TEST(OperationTest, ShapesThatDoNotFitAreErrors) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const auto message = [](const char* name, std::vector<int64_t> arguments, const std::vector<Shape>& shapes) {
    return std::string(ShapesOf(MakeOperation(name, std::move(arguments)).value(), shapes).status().message());
  };
  EXPECT_EQ(message("concatenate", {0}, {{2, 3}, {2, 4}}), "the tensors have different shapes: [2, 3] and [2, 4]");
  EXPECT_EQ(message("concatenate", {2}, {{2, 3}}), "[2, 3] has no dimension 2");
  EXPECT_EQ(message("chunk", {3, 0}, {{64, 384}}), "3 does not divide dimension 0 of [64, 384]");
  EXPECT_EQ(message("transpose", {0, 1}, {{5}}), "[5] has no dimension 1");
  EXPECT_EQ(message("reshape", {4, -1}, {{2, 3}}), "[2, 3] has another number of elements");
  EXPECT_EQ(message("swap_halves", {0}, {{3}}), "2 does not divide dimension 0 of [3]");
  EXPECT_EQ(message("interleave", {0, 4}, {{6}}), "4 does not divide dimension 0 of [6]");
  EXPECT_EQ(message("swap_groups", {0, 4, 3}, {{18}}), "12 does not divide dimension 0 of [18]");
  EXPECT_THAT(message("prepend_zeros", {1}, {{int64_t{1} << 61, 3}}), HasSubstr("has too many elements"));
  EXPECT_THAT(message("prepend_zeros", {1}, {{0, kMax}}), HasSubstr("has too many elements"));
  EXPECT_THAT(message("concatenate", {1}, {{0, kMax}, {0, kMax}}), HasSubstr("has too many elements"));
  EXPECT_EQ(message("concatenate", {0}, {{0, kMax}, {0, kMax}}), "");
  EXPECT_EQ(message("drop_first", {0}, {{0, 2}}), "[0, 2] has no element in dimension 0");
  EXPECT_EQ(message("resample_bicubic", {1, 1, 37, 37}, {{1, 200, 8}}),
            "[1, 200, 8] has 200 elements in dimension 1, which are not 1 and a square grid");
  EXPECT_THAT(message("resample_bicubic", {0, 4, 2, 2}, {{4}}), HasSubstr("which are not 4 and a square grid"));
  EXPECT_EQ(message("resample_antialias", {2, 0, 2, 2}, {{4}}), "[4] has no dimension 2");
  EXPECT_THAT(message("resample_antialias", {0, 0, 9000, 9000}, {{4, int64_t{1} << 40}}),
              HasSubstr("has too many elements"));
}

TEST(OperationTest, CastGivesTheSameNumbers) {
  const std::vector<int32_t> values = {0, 1, -3, 1 << 20};
  EXPECT_FALSE(MakeOperation("cast", DTypes(DType::kFloat8E4M3, DType::kFloat32)).ok());
  EXPECT_FALSE(MakeOperation("cast", DTypes(DType::kInt32, DType::kUInt16)).ok());
  const Operation cast = MakeOperation("cast", DTypes(DType::kInt32, DType::kFloat32)).value();
  EXPECT_EQ(cast.text(), "cast(int32, float32)");
  EXPECT_EQ(cast.Inverse(1)->text(), "cast(float32, int32)");
  ASSERT_OK_AND_ASSIGN(const std::vector<Array> results, cast.Apply({MakeArray(values, {2, 2})}));
  EXPECT_THAT(Elements<float>(results[0]), ElementsAre(0, 1, -3, 1 << 20));
}

TEST(OperationTest, CastRefusesANumberThatItWouldChange) {
  const auto cast = [](auto value, DType to) {
    const std::vector<decltype(value)> values = {0, value};
    const Operation operation = MakeOperation("cast", DTypes(kDTypeOf<decltype(value)>, to)).value();
    return operation.Apply({MakeArray(values, {1, 2})}).status();
  };
  EXPECT_OK(cast(127, DType::kInt8));
  EXPECT_THAT(cast(128, DType::kInt8),
              StatusIs(absl::StatusCode::kFailedPrecondition, "int8 does not hold 128, element 1 of [1, 2]"));
  EXPECT_THAT(cast(-1, DType::kUInt8), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("hold -1")));
  EXPECT_THAT(cast((1 << 24) + 1, DType::kFloat32),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("float32 does not hold 16777217")));
  EXPECT_THAT(cast(0.5f, DType::kInt64), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("hold 0.5")));
  EXPECT_THAT(cast(0.1f, DType::kFloat16), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("hold 0.1")));
  EXPECT_THAT(cast(std::nanf(""), DType::kInt32), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("nan")));
}

TEST(OperationTest, CastWantsTheDTypeThatItNames) {
  const Operation cast = MakeOperation("cast", DTypes(DType::kInt32, DType::kInt64)).value();
  EXPECT_THAT(ShapesOf(cast, {{2}}), StatusIs(absl::StatusCode::kInvalidArgument, "wants int32, has float32"));
}

// A grid [2, 2] with a row in front, twice.
TEST(OperationTest, ResamplingKeepsWhatIsBeforeTheGrid) {
  const std::vector<float> values = {9, 1, 2, 3, 4, 8, 5, 5, 5, 5};
  for (const char* name : {"resample_bicubic", "resample_antialias"}) {
    const Operation operation = MakeOperation(name, {1, 1, 1, 3}).value();
    ASSERT_OK_AND_ASSIGN(const std::vector<Shape> shapes, ShapesOf(operation, {{2, 5, 1}}));
    EXPECT_THAT(shapes, ElementsAre(Shape({2, 4, 1})));
    ASSERT_OK_AND_ASSIGN(const std::vector<Array> results, operation.Apply({MakeArray(values, {2, 5, 1})}));
    const std::vector<float> elements = Elements<float>(results[0]);
    EXPECT_EQ(elements[0], 9);
    EXPECT_FLOAT_EQ(elements[2], 2.5);
    EXPECT_EQ(elements[4], 8);
    EXPECT_FLOAT_EQ(elements[5], 5);
  }
}

TEST(OperationTest, AGridThatHasTheSizeAlreadyStaysAsItIs) {
  const std::vector<float> values = {9, 1, 2, 3, 4};
  const Operation same = MakeOperation("resample_antialias", {0, 1, 2, 2}).value();
  EXPECT_FALSE(same.ChangesNumbers({{5}}));
  ASSERT_OK_AND_ASSIGN(const std::vector<Array> results, same.Apply({MakeArray(values, {5})}));
  EXPECT_EQ(results[0].view.data, reinterpret_cast<const char*>(values.data()));
  // As many elements, and another grid.
  EXPECT_TRUE(MakeOperation("resample_antialias", {0, 1, 1, 4}).value().ChangesNumbers({{5}}));
}

// Cubic convolution goes beyond the values that it is between.
TEST(OperationTest, ResamplingRefusesWhatTheDTypeCannotHold) {
  std::string halfs;
  for (const uint16_t half : {0x7bff, 0x7bff, 0xfbff, 0xfbff, 0x7bff, 0x7bff, 0xfbff, 0xfbff, 0x7bff, 0x7bff, 0xfbff,
                              0xfbff, 0x7bff, 0x7bff, 0xfbff, 0xfbff}) {
    halfs.append(reinterpret_cast<const char*>(&half), sizeof(half));
  }
  const Array table = {{DType::kFloat16, {16}, {1}, halfs.data()}};
  EXPECT_THAT(MakeOperation("resample_bicubic", {0, 0, 4, 9}).value().Apply({table}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("float16 does not hold")));
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
                                                                 {"swap_groups", {0, 2, 1000001}},
                                                                 {"interleave", {0, 3}},
                                                                 {"deinterleave", {0, 0}},
                                                                 {"chunk", DTypes(DType::kInt64, DType::kInt32)},
                                                                 {"cast", {0, 1}},
                                                                 {"cast", {DTypeArgument(DType::kInt64)}},
                                                                 {"cast", DTypes(DType::kInt64, DType::kInt64)},
                                                                 {"resample_bicubic", {1, 1, 37}},
                                                                 {"resample_bicubic", {1, 1, 0, 37}},
                                                                 {"resample_antialias", {1, 1, 37, 10001}}}) {
    EXPECT_THAT(MakeOperation(name, arguments), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("wants")))
        << name;
  }
}

TEST(OperationTest, ResamplingWantsNumbersBetweenOthers) {
  DType dtype = DType::kInt64;
  std::vector<Shape> shapes = {{4}};
  EXPECT_THAT(MakeOperation("resample_bicubic", {0, 0, 3, 3}).value().Infer(&dtype, &shapes),
              StatusIs(absl::StatusCode::kInvalidArgument, "wants a floating dtype, has int64"));
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
