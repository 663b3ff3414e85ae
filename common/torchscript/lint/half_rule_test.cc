#include <string>

#include "common/torchscript/lint/rule_case.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

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

}  // namespace
}  // namespace modelport
