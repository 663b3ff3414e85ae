#include "common/lint/lint.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/artifact/runtime.h"
#include "common/lint/finding.h"
#include "common/status/status_matchers.h"
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
using testing::Not;
using torch::jit::Module;

Module Reload(const Module& module) {
  std::stringstream archive;
  module.save(archive);
  return torch::jit::load(archive);
}

std::vector<Finding> LintForNuke(const Module& module, const Runtime* runtime = nullptr) {
  auto findings = Lint(Reload(module), ArchiveFormat(), {"nuke", runtime});
  EXPECT_OK(findings);
  return findings.ok() ? *findings : std::vector<Finding>();
}

// A module with a weight, a buffer and a tensor that is neither, and the methods `code`.
Module MakeModule(const std::string& code) {
  Module module("Net");
  module.register_parameter("weight", at::ones({3, 3, 1, 1}), /*is_buffer=*/false);
  module.register_buffer("mean", at::ones({1, 3, 1, 1}));
  module.register_attribute("table", c10::TensorType::get(), at::ones({1, 3, 1, 1}));
  module.define(code);
  return module;
}

// forward(self, x), whose lines are `body`.
std::string Forward(const std::string& body) { return absl::StrCat("def forward(self, x):\n", body); }

struct RuleCase {
  const char* name;
  const char* rule;
  std::string bad;      // The code of a module with one finding,
  const char* message;  // which says this.
  std::string good;     // The nearest code without one.
};

class RuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(RuleTest, FindsTheBadOneOnly) {
  const RuleCase& test = GetParam();
  EXPECT_THAT(LintForNuke(MakeModule(test.bad)),
              ElementsAre(AllOf(Field(&Finding::rule, test.rule), Field(&Finding::message, HasSubstr(test.message)),
                                Field(&Finding::modules, ElementsAre("")))));
  for (const Finding& finding : LintForNuke(MakeModule(test.good))) {
    ADD_FAILURE() << finding.rule << ": " << finding.line.text << ": " << finding.message;
  }
}

const RuleCase kForwardCases[] = {
    {"FurtherArguments", "one tensor",
     "def forward(self, x, scale: float = 1.0, invert: bool = False):\n  return x * scale\n",
     "forward takes x: Tensor, scale: float, invert: bool, wants one Tensor",
     "def forward(self, x):\n  return x * 1.0\n"},
    {"SecondImage", "one tensor", "def forward(self, x, y):\n  return x * y\n",
     "forward takes x: Tensor, y: Tensor, wants one Tensor",
     Forward("  a, b = torch.chunk(x, 2, 1)\n  return a * b\n")},
    {"ListOfTensors", "one tensor", "def forward(self, x: List[Tensor]):\n  return x[0]\n",
     "forward takes x: List[Tensor], wants one Tensor", Forward("  return [x][0]\n")},
    {"NoArgument", "one tensor", "def forward(self):\n  return self.weight\n",
     "forward takes nothing, wants one Tensor", Forward("  return x\n")},
    {"Tuple", "one tensor", Forward("  return x, x + 1\n"), "forward returns Tuple[Tensor, Tensor], wants one Tensor",
     Forward("  return torch.cat([x, x + 1], 1)\n")},
    {"Dictionary", "one tensor", Forward("  return {\"depth\": x}\n"), "forward returns Dict[str, Tensor]",
     Forward("  return {\"depth\": x}[\"depth\"]\n")},
    {"NoForward", "one tensor", "def infer(self, x):\n  return x\n", "no forward", Forward("  return x\n")},
};
INSTANTIATE_TEST_SUITE_P(Forward, RuleTest, testing::ValuesIn(kForwardCases),
                         [](const auto& test) { return std::string(test.param.name); });

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
INSTANTIATE_TEST_SUITE_P(Device, RuleTest, testing::ValuesIn(kDeviceCases),
                         [](const auto& test) { return std::string(test.param.name); });

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
INSTANTIATE_TEST_SUITE_P(Half, RuleTest, testing::ValuesIn(kHalfCases),
                         [](const auto& test) { return std::string(test.param.name); });

const RuleCase kOtherCases[] = {
    {"CastToFloat64", "float64", Forward("  return x.double()\n"), "aten::to is given the dtype float64",
     Forward("  return x * 0.1\n")},
    {"Float64Sum", "float64", Forward("  return x / x.sum(dtype=7)\n"), "aten::sum is given the dtype float64",
     Forward("  return x / x.sum()\n")},
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
INSTANTIATE_TEST_SUITE_P(Other, RuleTest, testing::ValuesIn(kOtherCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(LintTest, NamesModulesLineAndCure) {
  Module net("Net"), block("Block");
  block.define("def forward(self, x):\n  return x.cpu()\n");
  Module list("Blocks");
  list.register_module("0", block);
  list.register_module("1", block.clone());
  net.register_module("blocks", list);
  net.define(
      "def forward(self, x):\n"
      "  return getattr(self.blocks, \"1\").forward(getattr(self.blocks, \"0\").forward(x))\n");
  const std::vector<Finding> findings = LintForNuke(net);
  ASSERT_EQ(findings.size(), 1);
  EXPECT_THAT(findings[0].modules, ElementsAre("blocks.0", "blocks.1"));
  EXPECT_THAT(findings[0].line.place, HasSubstr(":2"));
  EXPECT_EQ(findings[0].line.text, "return x.cpu()");
  EXPECT_THAT(findings[0].cure, HasSubstr("x.device"));
}

TEST(LintTest, LeavesOutWhatForwardDoesNotReach) {
  EXPECT_THAT(LintForNuke(MakeModule("def forward(self, x):\n  return x\ndef other(self, x):\n  return x.cpu()\n")),
              IsEmpty());
}

TEST(LintTest, OtherHostsTakeAnyForwardAndBoolAttributes) {
  Module module("Net");
  module.register_attribute("invert", c10::BoolType::get(), true);
  module.define("def forward(self, x, y):\n  return x, y\n");
  ASSERT_OK_AND_ASSIGN(const std::vector<Finding> findings, Lint(module, ArchiveFormat(), LintOptions()));
  EXPECT_THAT(findings, IsEmpty());
}

TEST(LintTest, FindsBoolKnobsOfTheRootOnly) {
  Module net("Net"), child("Child");
  for (Module* module : {&net, &child}) {
    module->register_attribute("training", c10::BoolType::get(), false);
    module->register_attribute("invert", c10::BoolType::get(), false);
    module->register_attribute("gain", c10::IntType::get(), 1);
  }
  net.register_module("child", child);
  net.define("def forward(self, x):\n  return x\n");
  EXPECT_THAT(LintForNuke(net),
              ElementsAre(AllOf(Field(&Finding::rule, "bool attribute"), Field(&Finding::modules, ElementsAre("")),
                                Field(&Finding::message, HasSubstr("attribute invert is a bool")))));
}

TEST(LintTest, FindsAttributeTypesThatHostsMayNotKnow) {
  Module net("Net"), child("Child");
  child.register_attribute("names", c10::DictType::create(c10::StringType::get(), c10::ListType::ofInts()),
                           c10::impl::GenericDict(c10::StringType::get(), c10::ListType::ofInts()));
  child.register_attribute("phase", c10::OptionalType::create(c10::ComplexType::get()), c10::complex<double>(0, 1));
  net.register_module("child", child);
  net.define("def forward(self, x):\n  return x\n");
  EXPECT_THAT(LintForNuke(net),
              ElementsAre(AllOf(Field(&Finding::rule, "attribute type"), Field(&Finding::modules, ElementsAre("child")),
                                Field(&Finding::message, HasSubstr("attribute phase is of type Optional[complex]")))));
}

// A module that convolves with the first of a list that it has as an attribute.
Module MakeModuleWithList(bool holds_weight) {
  const at::Tensor weight = at::ones({3, 3, 1, 1});
  Module module("Net");
  module.register_parameter("weight", weight, /*is_buffer=*/false);
  module.register_attribute("flat", c10::ListType::ofTensors(),
                            c10::List<at::Tensor>({holds_weight ? weight : weight.clone()}));
  module.define(Forward("  return torch.conv2d(x, self.flat[0])\n"));
  return module;
}

TEST(LintTest, AListOfItsWeightsIsConvertedWithThem) {
  EXPECT_THAT(LintForNuke(MakeModuleWithList(true)), IsEmpty());
  EXPECT_THAT(LintForNuke(MakeModuleWithList(false)),
              ElementsAre(Field(&Finding::rule, "device"), Field(&Finding::rule, "half")));
}

struct Handle : torch::CustomClassHolder {};

TEST(LintTest, FindsModulesThatCannotBeSavedAgain) {
  Module net("Net");
  net.register_attribute("handle", c10::CapsuleType::get(), c10::IValue::make_capsule(c10::make_intrusive<Handle>()));
  net.define("def forward(self, x):\n  return x\n");
  ASSERT_OK_AND_ASSIGN(const std::vector<Finding> findings, Lint(net, ArchiveFormat(), LintOptions()));
  EXPECT_THAT(findings, Contains(Field(&Finding::message, HasSubstr("cannot be saved again"))));
}

TEST(LintTest, FindsFloat64TensorsWhereverTheyLie) {
  Module net("Net"), child("Child");
  net.register_buffer("mean", at::zeros({3}, at::kDouble));
  net.register_buffer("epsilon", at::zeros({}, at::kDouble));
  child.register_parameter("weight", at::zeros({3}, at::kDouble), /*is_buffer=*/false);
  net.register_module("child", child);
  net.define("def forward(self, x):\n  return x\n");
  EXPECT_THAT(LintForNuke(net),
              ElementsAre(AllOf(Field(&Finding::rule, "float64"), Field(&Finding::modules, ElementsAre("")),
                                Field(&Finding::message, "the tensor mean is float64")),
                          AllOf(Field(&Finding::rule, "float64"), Field(&Finding::modules, ElementsAre("child")))));
}

TEST(LintTest, ReportsWhatTheRuntimeLacksIfOneIsNamed) {
  const Module module = MakeModule(Forward("  return torch.silu(x)\n"));
  EXPECT_THAT(LintForNuke(module), IsEmpty());
  EXPECT_THAT(LintForNuke(module, &Runtimes()[1]), IsEmpty());
  const std::vector<Finding> findings = LintForNuke(module, &Runtimes()[0]);
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].rule, "runtime");
  EXPECT_EQ(findings[0].message, "aten::silu(Tensor): LibTorch 1.6 does not have it");
  EXPECT_EQ(findings[0].line.text, "return torch.silu(x)");
  EXPECT_THAT(findings[0].cure, HasSubstr("torch.sigmoid(x)"));
}

}  // namespace
}  // namespace modelport
