#include <string>

#include "common/torchscript/lint/rule_case.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

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

}  // namespace
}  // namespace modelport
