#include "common/torchscript/proof/round_trip.h"

#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "common/digest/background_digest.h"
#include "common/digest/sha256.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using torch::jit::Module;

Module Product(const std::string& body = "x * self.weight", double weight = 2) {
  Module module("Toy");
  module.register_parameter("weight", at::full({3}, weight), /*is_buffer=*/false);
  module.register_attribute("gain", c10::FloatType::get(), 1.0);
  module.define("def forward(self, x: Tensor, n: int = 1) -> Tensor:\n  return " + body + "\n");
  return module;
}

std::vector<Call> Examples() { return {*ParseCall("forward([2, 3])"), *ParseCall("forward([1, 3], 2)")}; }

std::string TempPath(const std::string& name) { return std::string(std::getenv("TEST_TMPDIR")) + "/" + name; }

// Saves `module` and returns the digest.
absl::StatusOr<std::string> SaveTo(const Module& module, const std::string& path) {
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  HashingWriter writer(file);
  RETURN_IF_ERROR(WriteArchive(module, /*runtime=*/nullptr, /*extra=*/{}, writer));
  RETURN_IF_ERROR(file.Commit());
  return writer.HexDigest();
}

absl::Status CompareAttributes(const Module& expected, const Module& actual) {
  auto outputs = RunExamples(expected, Examples());
  if (!outputs.ok()) return outputs.status();
  return CompareModules(expected, actual, Examples(), {}, *outputs).status();
}

TEST(RoundTripTest, ASavedModuleComesBackEqual) {
  const std::string path = TempPath("toy.pt");
  ASSERT_OK(SaveTo(Product(), path));
  ASSERT_OK_AND_ASSIGN(const RoundTrip round_trip, ProveRoundTrip(Product(), path, Examples(), {}));
  EXPECT_EQ(round_trip.tensors, 1);
  EXPECT_EQ(round_trip.methods, 1);
  ASSERT_EQ(round_trip.outputs.size(), 2u);
  EXPECT_EQ(round_trip.outputs[0].call, "forward([2, 3])");
  EXPECT_EQ(round_trip.outputs[0].max_abs, 0);
}

TEST(RoundTripTest, DifferencesAreFound) {
  EXPECT_OK(CompareAttributes(Product(), Product()));
  EXPECT_THAT(CompareAttributes(Product(), Product("x * self.weight", 2.0000002)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("tensor weight differs")));
  EXPECT_THAT(CompareAttributes(Product(), Product("x * self.weight + 1e-5")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("forward([2, 3]) differs by")));
  Module knob = Product();
  knob.setattr("gain", 3.0);
  EXPECT_THAT(CompareAttributes(Product(), knob),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("attributes or constants")));
  Module method = Product();
  method.define("def other(self, x: Tensor) -> Tensor:\n  return x\n");
  EXPECT_THAT(CompareAttributes(Product(), method),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("methods of module")));
}

// A network that magnifies rounding gives such outputs when its weights lie elsewhere in memory.
TEST(RoundTripTest, OutputsMayDifferWhereEqualTensorsGiveEqualBits) {
  const Module expected = Product(), actual = Product();
  ASSERT_OK_AND_ASSIGN(std::vector<c10::IValue> outputs, RunExamples(expected, Examples()));
  outputs[1] = at::add(outputs[1].toTensor(), 0.25);
  const at::Tensor weight = expected.attr("weight").toTensor();
  ASSERT_OK_AND_ASSIGN(const RoundTrip round_trip, CompareModules(expected, actual, Examples(), {}, outputs));
  EXPECT_EQ(round_trip.outputs[1].max_abs, 0.25);
  EXPECT_TRUE(round_trip.outputs[1].equal_on_same_memory);
  EXPECT_TRUE(expected.attr("weight").toTensor().is_same(weight));
}

// So that two exports of equal inputs write equal manifests.
TEST(RoundTripTest, RoundingThatDependsOnMemoryIsNotStated) {
  const Module expected = Product(), actual = Product();
  ASSERT_OK_AND_ASSIGN(std::vector<c10::IValue> outputs, RunExamples(expected, Examples()));
  outputs[1] = at::add(outputs[1].toTensor(), 2e-7);
  ASSERT_OK_AND_ASSIGN(const Difference difference,
                       CompareValues(outputs[1], RunExamples(actual, Examples())->at(1), "forward"));
  ASSERT_GT(difference.max_abs, 0);
  ASSERT_OK_AND_ASSIGN(const RoundTrip round_trip, CompareModules(expected, actual, Examples(), {}, outputs));
  EXPECT_EQ(round_trip.outputs[1].max_abs, 0);
  EXPECT_EQ(round_trip.outputs[1].relative, 0);
  EXPECT_FALSE(round_trip.outputs[1].equal_on_same_memory);
}

TEST(RoundTripTest, ADamagedFileDoesNotLoad) {
  const std::string path = TempPath("damaged.pt");
  std::ofstream(path) << "no archive";
  EXPECT_THAT(LoadModule(path),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("damaged.pt: LibTorch cannot load it")));
}

TEST(SaveModuleTest, EqualModulesAreEqualFilesOfTheStatedDigest) {
  ASSERT_OK_AND_ASSIGN(const std::string first, SaveTo(Product(), TempPath("first.pt")));
  ASSERT_OK_AND_ASSIGN(const std::string second, SaveTo(Product(), TempPath("second.pt")));
  EXPECT_EQ(first, second);
  std::stringstream bytes;
  bytes << std::ifstream(TempPath("first.pt"), std::ios::binary).rdbuf();
  EXPECT_EQ(first, Sha256Of(bytes.str()));
}

TEST(ExampleTest, ListsAreShapesOfTensorsAndNumbersElsewhere) {
  ASSERT_OK_AND_ASSIGN(const auto inputs, ExampleInputs(Product(), *ParseCall("forward([2, 3], 5)")));
  EXPECT_EQ(inputs[0].toTensor().sizes(), at::IntArrayRef({2, 3}));
  EXPECT_EQ(inputs[1].toInt(), 5);
}

TEST(ExampleTest, CallsThatDoNotFitAreErrors) {
  EXPECT_THAT(ExampleInputs(Product(), *ParseCall("backward([2, 3])")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no method ")));
  EXPECT_THAT(ExampleInputs(Product(), *ParseCall("forward([2, 3], 1, 2)")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("takes 2 arguments")));
}

TEST(CompareValuesTest, StructuresAreComparedToTheLeaf) {
  const c10::IValue a = c10::ivalue::Tuple::create({at::zeros({2}), c10::IValue(std::vector<int64_t>{1, 2})});
  const c10::IValue b = c10::ivalue::Tuple::create({at::zeros({2}), c10::IValue(std::vector<int64_t>{1, 3})});
  EXPECT_OK(CompareValues(a, a, "f"));
  EXPECT_THAT(CompareValues(a, b, "f"), StatusIs(absl::StatusCode::kDataLoss, "f[1][1] differs"));
  EXPECT_THAT(CompareValues(at::zeros({2}), at::zeros({3}), "f"),
              StatusIs(absl::StatusCode::kDataLoss, "f wants Float [2], has Float [3]"));
}

TEST(CompareValuesTest, DifferencesAreRelativeToTheRange) {
  const at::Tensor a = at::arange(100, 111, at::kFloat).reshape({1, 11});
  at::Tensor b = a.clone();
  b[0][3] += 0.5;
  ASSERT_OK_AND_ASSIGN(const Difference difference, CompareValues(a, b, "f"));
  EXPECT_FLOAT_EQ(difference.max_abs, 0.5);
  EXPECT_FLOAT_EQ(difference.relative, 0.05);
}

TEST(CompareValuesTest, OneNumberAnImageIsComparedByItsSize) {
  ASSERT_OK_AND_ASSIGN(const Difference difference,
                       CompareValues(at::tensor({-4.0f, 3.999f}), at::tensor({-4.0f, 3.997f}), "f"));
  EXPECT_NEAR(difference.relative, 0.0005, 1e-7);
}

TEST(CompareValuesTest, ASingleElementIsItsOwnRange) {
  ASSERT_OK_AND_ASSIGN(const Difference difference, CompareValues(at::full({1}, -4000), at::full({1}, -4002), "f"));
  EXPECT_FLOAT_EQ(difference.max_abs, 2);
  EXPECT_FLOAT_EQ(difference.relative, 0.0005);
}

TEST(CompareValuesTest, NaNsMustBeInTheSamePlaces) {
  at::Tensor a = at::zeros({3}), b = at::zeros({3});
  a[0] = b[1] = NAN;
  EXPECT_FALSE(CompareValues(a, b, "f").ok());
  EXPECT_OK(CompareValues(a, a.clone(), "f"));
}

}  // namespace
}  // namespace modelport
