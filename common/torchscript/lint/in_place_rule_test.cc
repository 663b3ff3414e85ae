#include <string>

#include "common/torchscript/lint/rule_case.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

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

}  // namespace
}  // namespace modelport
