#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/custom_class.h>

#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/lint.h"
#include "common/torchscript/lint/rule_case.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using torch::jit::Module;

TEST(AttributeTypesTest, FindsTypesThatHostsMayNotKnow) {
  Module net("Net"), child("Child");
  child.register_attribute("names", c10::DictType::create(c10::StringType::get(), c10::ListType::ofInts()),
                           c10::impl::GenericDict(c10::StringType::get(), c10::ListType::ofInts()));
  child.register_attribute("phase", c10::OptionalType::create(c10::ComplexType::get()), c10::complex<double>(0, 1));
  net.register_module("child", child);
  net.define("def forward(self, x):\n  return x\n");
  EXPECT_THAT(LintSaved(net),
              ElementsAre(AllOf(Field(&Finding::rule, "attribute type"), Field(&Finding::modules, ElementsAre("child")),
                                Field(&Finding::message, HasSubstr("attribute phase is of type Optional[complex]")))));
}

struct Handle : torch::CustomClassHolder {};

TEST(AttributeTypesTest, FindsModulesThatCannotBeSavedAgain) {
  Module net("Net");
  net.register_attribute("handle", c10::CapsuleType::get(), c10::IValue::make_capsule(c10::make_intrusive<Handle>()));
  net.define("def forward(self, x):\n  return x\n");
  ASSERT_OK_AND_ASSIGN(const LintResult result, Lint(net, ArchiveFormat(), LintOptions()));
  EXPECT_THAT(result.findings, Contains(Field(&Finding::message, HasSubstr("cannot be saved again"))));
}

const RuleCase kDeviceCases[] = {
    {"Move", "device", Forward("  return x.to(torch.device(\"cuda\"))\n"), "aten::to is given the device cuda",
     Forward("  return x.to(self.weight.device)\n")},
    {"MoveToCpu", "device", Forward("  return x.cpu()\n"), "aten::cpu is given the device cpu",
     Forward("  return x.to(x.device)\n")},
    {"Factory", "device", Forward("  return x + torch.zeros([3, 1, 1], dtype=x.dtype, device=torch.device(\"cpu\"))\n"),
     "aten::zeros is given the device cpu",
     Forward("  return x + torch.zeros([3, 1, 1], dtype=x.dtype, device=x.device)\n")},
    {"DefaultInSum", "device", Forward("  return x + torch.zeros([3, 1, 1], dtype=x.dtype)\n"),
     "aten::zeros makes a tensor on the device cpu, the default; aten::add",
     Forward("  return x + torch.zeros([3, 1, 1]).to(x)\n")},
    {"DefaultInConcatenation", "device", Forward("  return torch.cat([x, torch.zeros([1, 3, 4, 4], dtype=x.dtype)])\n"),
     "aten::cat", Forward("  return torch.cat([x, torch.zeros_like(x)])\n")},
    {"DefaultByWayOfLoopAndList", "device",
     Forward("  parts = [x]\n"
             "  for i in range(2):\n"
             "    parts.append(torch.ones([3], dtype=x.dtype))\n"
             "  return torch.cat(parts)\n"),
     "aten::ones makes a tensor on the device cpu",
     Forward("  parts = [x]\n"
             "  for i in range(2):\n"
             "    parts.append(torch.ones_like(x))\n"
             "  return torch.cat(parts)\n")},
    {"DefaultIndex", "device", Forward("  return x * torch.arange(x.size(3))\n"), "aten::arange",
     Forward("  return x[:, torch.arange(x.size(1))]\n")},
    {"NumberByFunctionCall", "device",
     "def offset(self, like):\n"
     "  return torch.ones([3, 1, 1], dtype=like.dtype)\n"
     "def forward(self, x):\n"
     "  return x + self.offset(x)\n",
     "aten::ones",
     "def offset(self, like):\n"
     "  return torch.tensor(0.5)\n"
     "def forward(self, x):\n"
     "  return x + self.offset(x)\n"},
    {"OfOneElement", "device", Forward("  return x + torch.ones([1], dtype=x.dtype)\n"), "aten::ones",
     Forward("  return x + torch.ones([], dtype=x.dtype)\n")},
    {"Attribute", "device", Forward("  return x + self.table.to(x.dtype)\n"),
     "the tensor in attribute table, which is no buffer, stays on the device cpu", Forward("  return x + self.mean\n")},
};

class DeviceRuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(DeviceRuleTest, FindsTheBadOneOnly) { ExpectFindsTheBadOneOnly(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, DeviceRuleTest, testing::ValuesIn(kDeviceCases),
                         [](const auto& test) { return std::string(test.param.name); });

// The weight has the sizes [3, 3, 1, 1], the buffer `mean` [1, 3, 1, 1].
const RuleCase kFixedSizeCases[] = {
    {"Reshape", "fixed size", Forward("  return torch.reshape(x, [x.size(0), 3, 37, 37])\n"),
     "aten::reshape gives what is made of the image the fixed sizes [n, 3, 37, 37], so images of other sizes fail",
     Forward("  return torch.reshape(x, [x.size(0), 3, x.size(2), x.size(3)])\n")},
    {"ReshapeOfFeatures", "fixed size",
     Forward("  y = torch.conv2d(x, self.weight).flatten(2).transpose(1, 2)\n  return y.view([1, 1369, 3])\n"),
     "aten::view gives",
     Forward("  y = torch.conv2d(x, self.weight).flatten(2).transpose(1, 2)\n  return y.view([1, -1, 3])\n")},
    {"Expand", "fixed size", Forward("  return torch.mean(x, 1, True).sum() + x[:, 0:1].expand([1, 3, 37, 37])\n"),
     "aten::expand gives", Forward("  return x[:, 0:1].expand([1, 3, -1, -1])\n")},
    {"ReshapeOfAPooledVector", "fixed size", Forward("  return x.reshape([1, 3, 50176])\n"), "[1, 3, 50176]",
     Forward("  y = torch.adaptive_avg_pool2d(x, [1, 1]) + x.mean([2, 3], True)\n  return y.reshape([1, 3])\n")},
    {"Resize", "fixed size",
     Forward("  return torch.upsample_bilinear2d(torch.conv2d(x, self.weight), [518, 518], False)\n"),
     "aten::upsample_bilinear2d resizes to [518, 518], whatever size the image has",
     Forward("  return torch.upsample_bilinear2d(torch.conv2d(x, self.weight), [x.size(2), x.size(3)], False)\n")},
    // It works at a size of its own.
    {"ResizeOnPurpose", "fixed size", Forward("  return torch.upsample_nearest2d(x, [14, 14]).reshape([1, 588])\n"),
     "aten::upsample_nearest2d resizes to [14, 14]",
     Forward("  y = torch.upsample_nearest2d(x, [14, 14]).reshape([1, 588]).reshape([1, 3, 14, 14])\n"
             "  return torch.upsample_nearest2d(y, [x.size(2), x.size(3)])\n")},
    {"Table", "fixed size", Forward("  return x + self.weight\n"),
     "aten::add combines what is made of the image with a table of fixed sizes",
     Forward("  return x + self.weight[0:1, :].transpose(1, 2).sum() + self.mean\n")},
    {"SliceOfATable", "fixed size", Forward("  return x + self.weight[:, 0:2]\n"), "aten::add combines",
     Forward("  return x + self.weight[0:1]\n")},
    // The windows are listed by the first dimension, whose length follows the image.
    {"Windows", "fixed size", Forward("  y = x.reshape([-1, 3, 14, 14])\n  return y.mean() + x.view([4, 3, 14, 14])\n"),
     "aten::view gives",
     Forward(
         "  y = x.reshape([-1, 3, 14, 14])\n  return y.view([y.size(0), 3, 196]) + y.reshape([y.size(0), 3, 196])\n")},
};

class FixedSizeRuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(FixedSizeRuleTest, FindsTheBadOneOnly) { ExpectFindsTheBadOneOnly(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, FixedSizeRuleTest, testing::ValuesIn(kFixedSizeCases),
                         [](const auto& test) { return std::string(test.param.name); });

const RuleCase kQuantisedCases[] = {
    {"Quantise", "quantised", Forward("  return torch.quantize_per_tensor(x, 0.1, 0, 13).int_repr().to(x.dtype)\n"),
     "aten::quantize_per_tensor computes with integers of 8 bits", Forward("  return torch.round(x / 0.1) * 0.1\n")},
};

class QuantisedRuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(QuantisedRuleTest, FindsTheBadOneOnly) { ExpectFindsTheBadOneOnly(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, QuantisedRuleTest, testing::ValuesIn(kQuantisedCases),
                         [](const auto& test) { return std::string(test.param.name); });

const RuleCase kFloat64Cases[] = {
    {"CastToFloat64", "float64", Forward("  return x.double()\n"), "aten::to is given the dtype float64",
     Forward("  return x * 0.1\n")},
    {"Float64Sum", "float64", Forward("  return x / x.sum(dtype=7)\n"), "aten::sum is given the dtype float64",
     Forward("  return x / x.sum()\n")},
};

class Float64RuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(Float64RuleTest, FindsTheBadOneOnly) { ExpectFindsTheBadOneOnly(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, Float64RuleTest, testing::ValuesIn(kFloat64Cases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Float64TensorsTest, AreFoundInEveryKindOfAttribute) {
  Module net("Net"), child("Child");
  net.register_buffer("mean", at::zeros({3}, at::kDouble));
  net.register_attribute("levels", c10::ListType::ofTensors(), c10::List<at::Tensor>({at::zeros({3}, at::kDouble)}));
  net.register_buffer("epsilon", at::zeros({}, at::kDouble));
  child.register_parameter("weight", at::zeros({3}, at::kDouble), /*is_buffer=*/false);
  net.register_module("child", child);
  net.define("def forward(self, x):\n  return x\n");
  EXPECT_THAT(LintSaved(net),
              ElementsAre(AllOf(Field(&Finding::rule, "float64"), Field(&Finding::modules, ElementsAre("")),
                                Field(&Finding::message, "the tensor mean is float64")),
                          AllOf(Field(&Finding::rule, "float64"), Field(&Finding::modules, ElementsAre("")),
                                Field(&Finding::message, "a tensor in levels is float64")),
                          AllOf(Field(&Finding::rule, "float64"), Field(&Finding::modules, ElementsAre("child")))));
}

const RuleCase kHalfCases[] = {
    {"Cast", "half", Forward("  return torch.conv2d(x.float(), self.weight)\n"),
     "aten::to is given the dtype float32; aten::conv2d",
     Forward("  return torch.conv2d(x.float().exp().to(self.weight.dtype), self.weight)\n")},
    {"CastOfWeights", "half", Forward("  return torch.conv2d(x, self.weight.to(6))\n"), "float32; aten::conv2d",
     Forward("  return torch.conv2d(x.to(6), self.weight.to(6))\n")},
    {"PromotedSum", "half", Forward("  return torch.conv2d(x + x.float().mean(1, True), self.weight)\n"),
     "float32; aten::conv2d", Forward("  return torch.conv2d(x + x.float().mean(1, True).type_as(x), self.weight)\n")},
    {"DefaultDtype", "half",
     Forward("  return torch.conv2d(x * torch.ones([3, 1, 1], device=x.device), self.weight)\n"),
     "aten::ones makes a tensor of float32, the default",
     Forward("  return torch.conv2d(x * torch.ones([3, 1, 1], device=x.device, dtype=x.dtype), self.weight)\n")},
    {"Coordinates", "half",
     Forward("  return torch.conv2d(x * torch.linspace(0., 1., 3, device=x.device)[:, None, None], self.weight)\n"),
     "aten::linspace",
     Forward("  return torch.conv2d(x * torch.arange(3, device=x.device)[:, None, None], self.weight)\n")},
    {"CastInOneBranch", "half",
     Forward("  if x.size(2) > 9:\n    x = x.float()\n  return torch.conv2d(x, self.weight)\n"), "float32",
     Forward("  if x.size(2) > 9:\n    x = x.float().to(x.dtype)\n  return torch.conv2d(x, self.weight)\n")},
    {"ConditionalCast", "half",
     "def at_least_float32(self, x):\n"
     "  return x.float() if x.dtype == 5 else x\n"
     "def forward(self, x):\n"
     "  return torch.matmul(self.at_least_float32(x), x)\n",
     "aten::matmul",
     "def at_least_float32(self, x):\n"
     "  return x.float() if x.dtype == 5 else x\n"
     "def forward(self, x):\n"
     "  y = self.at_least_float32(x)\n"
     "  return torch.matmul(y, y) + torch.quantile(y, 0.5)\n"},
    {"DtypeByArgument", "half",
     "def convert(self, x, dtype: int):\n"
     "  return x.to(dtype)\n"
     "def forward(self, x):\n"
     "  return torch.conv2d(self.convert(x, 6), self.weight)\n",
     "float32",
     "def convert(self, x, dtype: int):\n"
     "  return x.to(dtype)\n"
     "def forward(self, x):\n"
     "  return torch.conv2d(self.convert(x, x.dtype), self.weight)\n"},
    {"MaskThatIsGiven", "half",
     "def add(self, x, mask: Optional[Tensor] = None):\n"
     "  return x if mask is None else x + mask.float()\n"
     "def forward(self, x):\n"
     "  return torch.conv2d(self.add(x, x), self.weight)\n",
     "float32",
     "def add(self, x, mask: Optional[Tensor] = None):\n"
     "  return x if mask is None else x + mask.float()\n"
     "def forward(self, x):\n"
     "  return torch.conv2d(self.add(x), self.weight)\n"},
    {"OneOfATuple", "half",
     "def split(self, x):\n"
     "  return x, x.float()\n"
     "def forward(self, x):\n"
     "  a, b = self.split(x)\n"
     "  return torch.conv2d(b, self.weight)\n",
     "float32",
     "def split(self, x):\n"
     "  return x, x.float()\n"
     "def forward(self, x):\n"
     "  a, b = self.split(x)\n"
     "  return torch.conv2d(a, self.weight) + b\n"},
    {"NoKernel", "half", Forward("  return x - torch.quantile(x, 0.5)\n"), "aten::quantile does not take float16",
     Forward("  return x - torch.quantile(x.float(), 0.5).to(x.dtype)\n")},
    {"Comparison", "half", Forward("  return torch.matmul(x, (x.float() * 2).relu())\n"), "aten::matmul",
     Forward("  return torch.matmul(x, torch.where(x.float() > 0.5, x, x * 2))\n")},
};

class HalfRuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(HalfRuleTest, FindsTheBadOneOnly) { ExpectFindsTheBadOneOnly(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, HalfRuleTest, testing::ValuesIn(kHalfCases),
                         [](const auto& test) { return std::string(test.param.name); });

const RuleCase kInPlaceCases[] = {
    {"AddInPlace", "in place", Forward("  x += 1\n  return x\n"), "aten::add_ writes into the input of forward",
     Forward("  y = x + 1\n  y += 1\n  return y\n")},
    {"WriteIntoView", "in place", Forward("  x[:, 0] = 1\n  return x\n"), "writes into the input of forward",
     Forward("  y = x.clone()\n  y[:, 0] = 1\n  return y\n")},
    {"WriteIntoReshapedOne", "in place", Forward("  return torch.relu_(x.contiguous().reshape([3, -1]))\n"),
     "aten::relu_", Forward("  return torch.relu_(x.exp().reshape([3, -1]))\n")},
    {"WriteOfUnusedBranch", "in place",
     "def act(self, x, inplace: bool):\n"
     "  return torch.relu_(x) if inplace else torch.relu(x)\n"
     "def forward(self, x):\n"
     "  return self.act(x, True)\n",
     "aten::relu_",
     "def act(self, x, inplace: bool):\n"
     "  return torch.relu_(x) if inplace else torch.relu(x)\n"
     "def forward(self, x):\n"
     "  return self.act(x, False)\n"},
};

class InPlaceRuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(InPlaceRuleTest, FindsTheBadOneOnly) { ExpectFindsTheBadOneOnly(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, InPlaceRuleTest, testing::ValuesIn(kInPlaceCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(RuntimeRuleTest, ReportsWhatTheRuntimeLacksIfOneIsNamed) {
  const Module module = MakeModule(Forward("  return torch.silu(x)\n"));
  EXPECT_THAT(LintSaved(module), IsEmpty());
  EXPECT_THAT(LintSaved(module, {.runtime = &Runtimes()[1]}), IsEmpty());
  const std::vector<Finding> findings = LintSaved(module, {.runtime = &Runtimes()[0]});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].rule, "runtime");
  EXPECT_EQ(findings[0].message, "aten::silu(Tensor): LibTorch 1.6 does not have it");
  EXPECT_EQ(findings[0].line.text, "return torch.silu(x)");
  EXPECT_THAT(findings[0].cure, HasSubstr("torch.sigmoid(x)"));
}

}  // namespace
}  // namespace modelport
