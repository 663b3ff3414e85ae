#include "common/torchscript/proof/compare_outputs.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Dict.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_efficientzerotensor.h>
#include <ATen/ops/_nested_tensor_from_tensor_list.h>
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/quantize_per_tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/library.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "common/expression/expression.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/testing/ignore_leaks.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

bool optimises_in_example = true;

// Records whether LibTorch optimises the graph that calls it.
at::Tensor Observe(const at::Tensor& x) {
  optimises_in_example = torch::jit::getGraphExecutorOptimize();
  return x.clone();
}

TORCH_LIBRARY_FRAGMENT(aten, m) { m.def("modelport_observe(Tensor x) -> Tensor", &Observe); }

// Of the namespace that Modelport compiles plugins into.
torch::jit::Module ExampleNet() {
  torch::jit::Module net("__torch__.modelport.Net");
  net.register_attribute("gain", c10::FloatType::get(), 1.0);
  net.register_attribute("label", c10::StringType::get(), "net");
  net.define(R"(
    def forward(self, x: Tensor, taps: List[int] = [0], scale: float = 1.0, name: Optional[str] = None) -> Tensor:
      return x * scale + taps[0]

    def divide(self, a: int, b: int) -> int:
      return a % b

    def fail(self, x: Tensor) -> Tensor:
      assert x.dim() == 7, "wants seven dimensions"
      return x

    def turned(self, x: Tensor) -> Tensor:
      return torch.full_like(x, self.gain)

    def observe(self, x: Tensor) -> Tensor:
      return torch.modelport_observe(x)
  )");
  return net;
}

absl::StatusOr<c10::IValue> RunCall(const std::string& call) { return RunExample(ExampleNet(), *ParseCall(call)); }

TEST(ExampleInputsTest, AListIsAShapeForATensorOnly) {
  ASSERT_OK_AND_ASSIGN(const std::vector<c10::IValue> inputs,
                       ExampleInputs(ExampleNet(), *ParseCall("forward([1, 3], [2, 5], 0.5, \"a\")")));
  ASSERT_THAT(inputs, SizeIs(4));
  EXPECT_EQ(inputs[0].toTensor().sizes(), at::IntArrayRef({1, 3}));
  EXPECT_EQ(inputs[1].toIntVector(), std::vector<int64_t>({2, 5}));
  EXPECT_EQ(inputs[2].toDouble(), 0.5);
  EXPECT_EQ(inputs[3].toStringRef(), "a");
}

TEST(RunExampleTest, GivesTheResult) {
  ASSERT_OK_AND_ASSIGN(const c10::IValue output, RunCall("forward([2, 3], [1])"));
  EXPECT_EQ(output.toTensor().sizes(), at::IntArrayRef({2, 3}));
  EXPECT_OK(RunCall("forward([0, 3])"));
}

TEST(RunExampleTest, AKnobIsSetForOneCall) {
  const torch::jit::Module net = ExampleNet();
  ASSERT_OK_AND_ASSIGN(const c10::IValue turned, RunExample(net, *ParseCall("turned([1], gain=3)")));
  EXPECT_EQ(turned.toTensor().item<float>(), 3.0f);
  ASSERT_OK_AND_ASSIGN(const c10::IValue plain, RunExample(net, *ParseCall("turned([1])")));
  EXPECT_EQ(plain.toTensor().item<float>(), 1.0f);
}

TEST(RunExamplesTest, TheOptimiserIsOffForTheExamplesOnly) {
  ASSERT_TRUE(torch::jit::getGraphExecutorOptimize());
  EXPECT_OK(RunExamples(ExampleNet(), {*ParseCall("observe([2, 3])")}));
  EXPECT_FALSE(optimises_in_example);
  EXPECT_TRUE(torch::jit::getGraphExecutorOptimize());
  EXPECT_TRUE(torch::jit::getProfilingMode());
}

TEST(RunExamplesTest, TheOptimiserIsRestoredAfterAFailedExample) {
  EXPECT_FALSE(RunExamples(ExampleNet(), {*ParseCall("fail([1])")}).ok());
  EXPECT_TRUE(torch::jit::getGraphExecutorOptimize());
}

struct ErrorCase {
  std::string call;
  std::string error;  // After "example CALL: ".
};

class ExampleErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(ExampleErrorTest, NamesTheExample) {
  EXPECT_THAT(RunCall(GetParam().call),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(StartsWith("example " + GetParam().call + ": "), HasSubstr(GetParam().error))));
}

INSTANTIATE_TEST_SUITE_P(
    All, ExampleErrorTest,
    testing::Values(
        ErrorCase{"nothing([1])", "no method nothing; known: "},
        ErrorCase{"forward([1, 3, -28, 42])", "x wants a shape of sizes that are not negative"},
        ErrorCase{"forward([4294967296, 4294967296])", "at most 100000000 elements, has [4294967296, 42949"},
        ErrorCase{"forward([4611686018427387904])", "at most 100000000 elements, has [4611686018427387904]"},
        ErrorCase{"forward([100000001])", "at most 100000000 elements, has [100000001]"},
        ErrorCase{"forward()", "missing value for argument 'x'"},
        ErrorCase{"forward(1)", "Expected a value of type 'Tensor' for argument 'x'"},
        ErrorCase{"forward(0.5)", "forward(Net self, Tensor x"},
        ErrorCase{"forward(\"x\")", "Expected a value of type 'Tensor' for argument 'x'"},
        ErrorCase{"forward([1], 0.5)", "Expected a value of type 'List[int]' for argument 'taps'"},
        ErrorCase{"forward([1], [1], 1.0, \"n\", 5)", "forward takes 4 arguments, given by position"},
        ErrorCase{"forward(x=[1])", "missing value for argument 'x'"},
        ErrorCase{"forward([1], x=1)", "no knob x; arguments are given by position"},
        ErrorCase{"forward([1], label=1)", "no knob label"},
        ErrorCase{"forward([1], gain=\"a\")", "the knob gain is of another type than \"a\""},
        ErrorCase{"forward([1], [])", "list index out of range"}, ErrorCase{"fail([1])", "wants seven dimensions"}));

TEST(RunExampleTest, AnIntegerDivisionByZeroIsAnError) {
  [[maybe_unused]] const IgnoreLeaks ignore_leaks;
  EXPECT_THAT(RunCall("divide(7, 0)"), StatusIs(absl::StatusCode::kInvalidArgument,
                                                StartsWith("example divide(7, 0): an integer division by zero")));
}

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using torch::jit::Module;

// A kernel whose output differs in each run.
at::Tensor Unstable(const at::Tensor& x) {
  static int runs = 0;
  return at::add(x, ++runs);
}

// A kernel that is unstable with oneDNN and stable without.
at::Tensor UnstableInOneDnn(const at::Tensor& x) {
  return at::globalContext().userEnabledMkldnn() ? Unstable(x) : x.clone();
}

// A kernel that returns NaN in every other run with oneDNN: for the first of two examples of each module.
at::Tensor NanInOneDnn(const at::Tensor& x) {
  static int runs = 0;
  return at::globalContext().userEnabledMkldnn() ? at::add(x, ++runs % 2 == 1 ? NAN : runs) : x.clone();
}

TORCH_LIBRARY_FRAGMENT(aten, m) {
  m.def("modelport_unstable(Tensor x) -> Tensor", &Unstable);
  m.def("modelport_unstable_in_onednn(Tensor x) -> Tensor", &UnstableInOneDnn);
  m.def("modelport_nan_in_onednn(Tensor x) -> Tensor", &NanInOneDnn);
}

Module Toy(const std::string& body) {
  Module module("Toy");
  module.register_parameter("weight", at::arange(3, at::kFloat), /*is_buffer=*/false);
  module.define("def forward(self, x: Tensor) -> Tensor:\n  y = torch.relu(x) + self.weight\n  return " + body + "\n");
  return module;
}

absl::StatusOr<ComparedOutputs> Compare(const Module& expected, const Module& actual, bool allow_nonfinite = false) {
  const std::vector<Call> examples = {*ParseCall("forward([2, 3])"), *ParseCall("forward([1, 3])")};
  const auto expected_outputs = RunExamples(expected, examples), outputs = RunExamples(actual, examples);
  EXPECT_OK(expected_outputs);
  EXPECT_OK(outputs);
  return CompareOutputs(expected, actual, examples, *expected_outputs, *outputs, allow_nonfinite);
}

TEST(CompareOutputsTest, EqualModulesAgree) {
  ASSERT_OK_AND_ASSIGN(const ComparedOutputs compared, Compare(Toy("y"), Toy("y")));
  ASSERT_EQ(compared.outputs.size(), 2u);
  EXPECT_EQ(compared.outputs[1].call, "forward([1, 3])");
  EXPECT_EQ(compared.outputs[1].shape, Shape({1, 3}));
  EXPECT_EQ(compared.outputs[1].max_abs, 0);
  EXPECT_THAT(compared.kernel_fault, IsEmpty());
}

TEST(CompareOutputsTest, ADifferenceOfStableModulesIsDataLoss) {
  EXPECT_THAT(Compare(Toy("y"), Toy("y + 1e-3")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("forward([2, 3]) differs by 0.001")));
}

TEST(CompareOutputsTest, AnUnstableKernelOfOneDnnIsNamedAndNotUsed) {
  const Module module = Toy("torch.modelport_unstable_in_onednn(y)");
  ASSERT_OK_AND_ASSIGN(const ComparedOutputs compared, Compare(module, module));
  EXPECT_EQ(compared.kernel_fault,
            "aten::modelport_unstable_in_onednn(float32 [2, 3]) gives other outputs for equal inputs");
  EXPECT_EQ(compared.outputs[0].max_abs, 0);
  EXPECT_TRUE(at::globalContext().userEnabledMkldnn());
}

TEST(CompareOutputsTest, ADifferenceBesideAnUnstableKernelIsDataLoss) {
  EXPECT_THAT(Compare(Toy("torch.modelport_unstable_in_onednn(y)"), Toy("torch.modelport_unstable_in_onednn(y) + 1")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("forward([2, 3]) differs by")));
}

TEST(CompareOutputsTest, NanOfAnUnstableKernelIsAKernelFault) {
  const Module module = Toy("torch.modelport_nan_in_onednn(y)");
  ASSERT_OK_AND_ASSIGN(const ComparedOutputs compared, Compare(module, module));
  EXPECT_THAT(compared.kernel_fault, HasSubstr("aten::modelport_nan_in_onednn"));
  EXPECT_EQ(compared.outputs[0].nan, 0);
}

TEST(CompareOutputsTest, AKernelThatIsUnstableWithoutOneDnnIsUnavailable) {
  const Module module = Toy("torch.modelport_unstable(y)");
  EXPECT_THAT(Compare(module, module),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("nothing can be proven on this machine"),
                             HasSubstr("aten::modelport_unstable(float32 [2, 3]) gives other outputs"))));
}

TEST(CompareOutputsTest, RandomOperatorsAreInvalidArguments) {
  const Module module = Toy("y + torch.rand_like(y)");
  EXPECT_THAT(Compare(module, module), StatusIs(absl::StatusCode::kInvalidArgument,
                                                HasSubstr(" draws random numbers, so outputs cannot be compared")));
}

TEST(RunExamplesTest, AnInputThatIsChangedIsAnError) {
  Module module("toy");
  module.define("def forward(self, x):\n  y = x[:, 1:]\n  y += 1\n  return y * 2\n");
  EXPECT_THAT(RunExamples(module, {*ParseCall("forward([2, 3])")}).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("example forward([2, 3]): writes into its input x, which is the caller's")));
}

TEST(CompareOutputsTest, EqualOutputsThatAreNotFiniteAreAnError) {
  const Module module = Toy("torch.log(torch.relu(-y[:, 0:2] - 1)) + 1");
  EXPECT_THAT(Compare(module, module),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("forward([2, 3]): 0 of 4 values are NaN and 4 infinite"),
                             HasSubstr("come from aten::log(float32 [2, 2])"), HasSubstr("--allow_nonfinite"))));
  ASSERT_OK_AND_ASSIGN(const ComparedOutputs compared, Compare(module, module, /*allow_nonfinite=*/true));
  EXPECT_EQ(compared.outputs[0].infinite, 4);
  EXPECT_EQ(compared.outputs[0].nan, 0);
  EXPECT_THAT(compared.kernel_fault, IsEmpty());
}

TEST(CompareOutputsTest, NanIsCountedApartFromInfinity) {
  const Module module = Toy("(y - y) / (y - y)");
  EXPECT_THAT(Compare(module, module),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("6 of 6 values are NaN and 0 infinite")));
}

// A kernel whose output differs in every third run.
at::Tensor UnstableInThirdRun(const at::Tensor& x) {
  static int runs = 0;
  return at::add(x, ++runs % 3 == 0 ? 1 : 0);
}

TORCH_LIBRARY_FRAGMENT(aten, m) { m.def("modelport_unstable_in_third_run(Tensor x) -> Tensor", &UnstableInThirdRun); }

absl::StatusOr<absl::optional<OperatorRun>> Find(const std::string& body, const std::string& call = "forward([2, 3])") {
  torch::jit::Module module("Toy");
  module.define("def forward(self, x: Tensor) -> Tensor:\n  y = torch.relu(x)\n  return " + body + "\n");
  return FindUnstableOperator(module, *ParseCall(call));
}

TEST(FindUnstableOperatorTest, FindsTheFirstOperatorWhoseOutputsDifferForEqualInputs) {
  ASSERT_OK_AND_ASSIGN(const auto found, Find("torch.exp(torch.modelport_unstable_in_third_run(y * 2))"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->call, "aten::modelport_unstable_in_third_run(float32 [2, 3])");
  EXPECT_FALSE(found->is_random);
}

TEST(FindUnstableOperatorTest, FindsRandomOperators) {
  ASSERT_OK_AND_ASSIGN(const auto found, Find("y + torch.rand_like(y)"));
  ASSERT_TRUE(found.has_value());
  // aten::rand_like calls aten::uniform_.
  EXPECT_THAT(found->name, AnyOf("aten::rand_like", "aten::uniform_"));
  EXPECT_TRUE(found->is_random);
}

TEST(FindUnstableOperatorTest, FindsNoneInAStableModule) {
  // Both operators start from uninitialised memory.
  ASSERT_OK_AND_ASSIGN(const auto found,
                       Find("torch.zeros_like(y) + torch.conv2d(y[None, None], torch.ones([1, 1, 1, 1]))[0, 0]"));
  EXPECT_FALSE(found.has_value()) << found->call;
}

TEST(FindUnstableOperatorTest, ACallThatFailsIsAnError) {
  EXPECT_THAT(Find("y", "backward([2, 3])"), StatusIs(absl::StatusCode::kInvalidArgument, testing::_));
}

TEST(WithoutOneDnnTest, OneDnnIsUsedAgainAfterwards) {
  EXPECT_TRUE(at::globalContext().userEnabledMkldnn());
  {
    const WithoutOneDnn without;
    EXPECT_FALSE(at::globalContext().userEnabledMkldnn());
  }
  EXPECT_TRUE(at::globalContext().userEnabledMkldnn());
}

constexpr auto kDataLoss = absl::StatusCode::kDataLoss;
constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;

// The largest difference, or the error.
absl::StatusOr<double> MaxAbs(const c10::IValue& expected, const c10::IValue& actual) {
  const auto difference = CompareValues(expected, actual, "f()");
  if (!difference.ok()) return difference.status();
  return difference->max_abs;
}

void ExpectDifference(const c10::IValue& expected, const c10::IValue& actual, double max_abs) {
  ASSERT_OK_AND_ASSIGN(const double found, MaxAbs(expected, actual));
  EXPECT_EQ(found, max_abs);
}

template <typename Key>
c10::IValue Dictionary(const Key& key, const at::Tensor& value) {
  c10::Dict<Key, at::Tensor> dict;
  dict.insert(key, value);
  return dict;
}

TEST(CompareValuesTest, TensorsDifferByTheirLargestDifference) {
  const at::Tensor a = at::arange(10, at::kFloat);
  ExpectDifference(a, a.clone(), 0);
  ExpectDifference(a, a + 0.5, 0.5);
  ASSERT_OK_AND_ASSIGN(const Difference difference, CompareValues(a, a + 0.9, "f()"));
  EXPECT_NEAR(difference.relative, 0.1, 1e-6);
  EXPECT_THAT(MaxAbs(a, a.to(at::kDouble)), StatusIs(kDataLoss, "f() wants Float [10], has Double [10]"));
  EXPECT_THAT(MaxAbs(a, a.reshape({2, 5})), StatusIs(kDataLoss, "f() wants Float [10], has Float [2, 5]"));
}

TEST(CompareValuesTest, IntegersThatDifferAreNeverEqual) {
  const int64_t large = int64_t{1} << 60;
  ExpectDifference(at::tensor({large}, at::kLong), at::tensor({large + 1}, at::kLong), 1);
  ExpectDifference(at::tensor({2, 7}, at::kLong), at::tensor({2, 9}, at::kLong), 2);
  ExpectDifference(at::zeros({2}, at::kBool), at::ones({2}, at::kBool), 1);
  EXPECT_THAT(MaxAbs(int64_t{3}, int64_t{4}), StatusIs(kDataLoss, "f() differs"));
}

TEST(CompareValuesTest, ComplexTensorsCompareInBothParts) {
  const at::Tensor real = at::ones({3}), imaginary = at::arange(3, at::kFloat);
  const at::Tensor a = at::complex(real, imaginary);
  ExpectDifference(a, at::complex(real, imaginary), 0);
  ExpectDifference(a, at::complex(real, imaginary + 2), 2);
  // A view that is conjugated when it is read compares by its conjugated values.
  ExpectDifference(a, at::complex(real, -imaginary).conj(), 0);
  ExpectDifference(a, a.conj(), 4);
}

TEST(CompareValuesTest, NanAndInfinityStandInTheSamePlaces) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  const at::Tensor a = at::tensor({1.0f, nan, infinity});
  ExpectDifference(a, at::tensor({2.0f, nan, infinity}), 1);
  for (const at::Tensor& other :
       {at::tensor({1.0f, 2.0f, infinity}), at::tensor({1.0f, nan, 2.0f}), at::tensor({nan, nan, infinity}),
        at::tensor({1.0f, nan, -infinity}), at::tensor({1.0f, infinity, infinity}), at::tensor({1.0f, nan, nan})}) {
    EXPECT_THAT(MaxAbs(a, other), StatusIs(kDataLoss, "f() has other NaN or infinite values")) << other;
  }
  ExpectDifference(std::nan(""), std::nan(""), 0);
  EXPECT_THAT(MaxAbs(std::nan(""), 1.0), StatusIs(kDataLoss, HasSubstr("has other NaN")));
}

TEST(CompareValuesTest, FloatsDifferLikeTensors) {
  ASSERT_OK_AND_ASSIGN(const Difference difference, CompareValues(4.0, 5.0, "f()"));
  EXPECT_EQ(difference.max_abs, 1);
  EXPECT_EQ(difference.relative, 0.25);
}

TEST(CompareValuesTest, ContainersCompareItemByItem) {
  const at::Tensor a = at::ones({2}), b = a + 1;
  ExpectDifference(std::make_tuple(a, b), std::make_tuple(a, b), 0);
  ExpectDifference(std::make_tuple(a, b), std::make_tuple(a, a), 1);
  ExpectDifference(c10::List<at::Tensor>({a, b}), c10::List<at::Tensor>({b, b}), 1);
  EXPECT_THAT(MaxAbs(c10::List<at::Tensor>({a, b}), c10::List<at::Tensor>({a})),
              StatusIs(kDataLoss, "f() wants 2 items, has 1"));
  EXPECT_THAT(MaxAbs(std::make_tuple(a, b), std::make_tuple(a, a.to(at::kHalf))),
              StatusIs(kDataLoss, StartsWith("f()[1] wants")));
  EXPECT_THAT(MaxAbs(a, c10::IValue()), StatusIs(kDataLoss, "f() wants Tensor, has None"));
  ExpectDifference(c10::IValue(), c10::IValue(), 0);
}

TEST(CompareValuesTest, DictionariesMayHaveAnyPlainKey) {
  const at::Tensor a = at::ones({2}), b = at::ones({3});
  ExpectDifference(Dictionary<std::string>("depth", a), Dictionary<std::string>("depth", a + 1), 1);
  ExpectDifference(Dictionary<int64_t>(1, a), Dictionary<int64_t>(1, a + 1), 1);
  ExpectDifference(Dictionary<double>(1.5, a), Dictionary<double>(1.5, a + 1), 1);
  ExpectDifference(Dictionary<bool>(true, a), Dictionary<bool>(true, a + 1), 1);
  EXPECT_THAT(MaxAbs(Dictionary<std::string>("depth", a), Dictionary<std::string>("sky", a)),
              StatusIs(kDataLoss, "f() wants the key \"depth\", has \"sky\""));
  EXPECT_THAT(MaxAbs(Dictionary<int64_t>(1, a), Dictionary<int64_t>(2, a)),
              StatusIs(kDataLoss, "f() wants the key 1, has 2"));
  EXPECT_THAT(MaxAbs(Dictionary<double>(1.5, a), Dictionary<double>(1.5, b)),
              StatusIs(kDataLoss, "f()[1.5] wants Float [2], has Float [3]"));
  EXPECT_THAT(MaxAbs(Dictionary<bool>(true, a), c10::Dict<bool, at::Tensor>()),
              StatusIs(kDataLoss, "f() wants 1 keys, has 0"));
}

TEST(CompareValuesTest, ValuesThatAreNotDenseTensorsAreRefused) {
  const at::Tensor dense = at::eye(3);
  const auto refuse = [](const c10::IValue& value, const std::string& what) {
    EXPECT_THAT(MaxAbs(value, value), StatusIs(kUnimplemented, StartsWith("f() is " + what + "; outputs are")));
  };
  refuse(dense.to_sparse(), "a tensor of layout Sparse on device cpu");
  refuse(dense.to_sparse_csr(), "a tensor of layout SparseCsr on device cpu");
  refuse(dense.to_mkldnn(), "a tensor of layout Mkldnn on device cpu");
  refuse(dense.to(at::kMeta), "a tensor of layout Strided on device meta");
  refuse(at::quantize_per_tensor(dense, 0.1, 0, at::kQInt8), "a quantized tensor");
  refuse(at::_nested_tensor_from_tensor_list({at::ones({2}), at::ones({3})}), "a nested tensor");
  refuse(at::_efficientzerotensor({3}, at::kFloat), "a tensor of layout Strided on device cpu");
  refuse(at::Tensor(), "an undefined tensor");
  refuse(Dictionary<at::Tensor>(dense, dense), "a dictionary with tensors for keys");
  refuse(torch::jit::Module("Net")._ivalue(), "of type __torch__.Net");
}

TEST(CompareValuesTest, AListThatContainsItselfIsRefused) {
  c10::impl::GenericList list(c10::AnyType::get());
  list.push_back(list);
  EXPECT_THAT(MaxAbs(list, list), StatusIs(kUnimplemented, HasSubstr("nested deeper than 50 levels")));
  list.clear();
}

TEST(BitwiseEqualTest, ComparesBitsOfDenseTensors) {
  const at::Tensor a = at::arange(6, at::kFloat).reshape({2, 3});
  EXPECT_TRUE(BitwiseEqual(a, a.t().contiguous().t()));
  EXPECT_FALSE(BitwiseEqual(a, a + 1e-6));
  EXPECT_FALSE(BitwiseEqual(at::zeros({1}), -at::zeros({1})));
  EXPECT_TRUE(BitwiseEqual(at::empty({0}), at::empty({0})));
  for (const at::Tensor& other : {a.to_sparse(), a.to(at::kMeta), at::Tensor()}) {
    EXPECT_FALSE(BitwiseEqual(a, other));
    EXPECT_FALSE(BitwiseEqual(other, other));
  }
}

TEST(EpsilonTest, IsTheLeastPowerOfTwoThatChangesOne) {
  for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
    const at::Tensor one = at::ones({}, type);
    const auto plus = [&](double value) { return one + at::full({}, value, type); };
    EXPECT_FALSE(plus(Epsilon(type)).equal(one)) << c10::toString(type);
    EXPECT_TRUE(plus(Epsilon(type) / 2).equal(one)) << c10::toString(type);
  }
}

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<std::string> Names(const c10::IValue& output) {
  std::vector<std::string> names;
  for (const NonfiniteOutput& found : FindNonfinite(output, "f")) names.push_back(found.name);
  return names;
}

TEST(FindNonfiniteTest, CountsNanAndInfinityApart) {
  const at::Tensor values = at::tensor({1.0f, kNan, kInfinity, -kInfinity, 0.0f});
  for (const at::ScalarType type : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
    const std::vector<NonfiniteOutput> found = FindNonfinite(values.to(type), "f");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].name, "f");
    EXPECT_EQ(found[0].elements, 5);
    EXPECT_EQ(found[0].nan, 1);
    EXPECT_EQ(found[0].infinite, 2);
  }
}

TEST(FindNonfiniteTest, NamesTheTensorsOfStructures) {
  const at::Tensor good = at::ones({2}), bad = at::full({2}, kNan);
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("depth", bad);
  dict.insert("sky", good);
  EXPECT_THAT(Names(dict), ElementsAre("f[depth]"));
  c10::Dict<int64_t, at::Tensor> numbered;
  numbered.insert(7, bad);
  EXPECT_THAT(Names(numbered), ElementsAre("f[7]"));
  const c10::IValue pair = c10::ivalue::Tuple::create({good, bad});
  EXPECT_THAT(Names(pair), ElementsAre("f[1]"));
  EXPECT_THAT(Names(c10::ivalue::Tuple::create({pair, c10::List<at::Tensor>({bad, good, bad})})),
              ElementsAre("f[0][1]", "f[1][0]", "f[1][2]"));
}

TEST(FindNonfiniteTest, OtherValuesAreNotListed) {
  EXPECT_THAT(Names(at::empty({0})), IsEmpty());
  EXPECT_THAT(Names(at::arange(3)), IsEmpty());
  EXPECT_THAT(Names(1.5), IsEmpty());
  EXPECT_THAT(Names(c10::IValue()), IsEmpty());
}

}  // namespace

}  // namespace modelport
