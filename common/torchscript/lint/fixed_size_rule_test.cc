#include <string>

#include "common/torchscript/lint/rule_case.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

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

}  // namespace
}  // namespace modelport
