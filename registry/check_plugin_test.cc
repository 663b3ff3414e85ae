#include "registry/check_plugin.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "registry/link_plugins.h"
#include "registry/testing/net_plugin.h"

namespace modelport {
namespace {

// What CheckPlugin says of the family `net` with these roots of its variants net_a and net_b.
absl::Status Check(const std::string& a, const std::string& b, const std::string& key_map = kKeyMap) {
  const std::string text = WithVariant(Header("net", "layers"), "net_a", a) + "  net_b: {summary: s, module: " + b +
                           ", file: g.pth, url: u, licence: MIT}\n";
  const auto plugins = LinkPlugins({Layers(), Folder("models/net", text, kNet, key_map)}, {});
  return plugins.ok() ? CheckPlugin(*plugins->back()) : plugins.status();
}

TEST(CheckPluginTest, VariantsThatCanBeMadePass) { EXPECT_OK(Check("Net(3)", "Net(4)")); }

TEST(CheckPluginTest, EachVariantThatCannotBeMadeIsNamed) {
  constexpr char kReason[] = R"(models/layers/modules.yaml:2:42: fc: size inputs of "weight" is 0)";
  EXPECT_THAT(Check("Net(3)", "Net(0)"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("models/net/plugin.yaml:14:31: variant net_b: ", kReason)));
  EXPECT_THAT(Check("Net(0)", "Net(0)"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       absl::StrCat("models/net: 2 failures\n  models/net/plugin.yaml:10:13: variant net_a: ", kReason,
                                    "\n  models/net/plugin.yaml:14:31: variant net_b: ", kReason)));
}

TEST(CheckPluginTest, ARuleForNoVariantIsNamedOnceAllCanBeMade) {
  constexpr char kRule[] = "layouts: {original: {recognise: [fc.weight], sources: [{slot: fc.weigth, key: w}]}}\n";
  EXPECT_THAT(Check("Net(3)", "Net(4)", kRule),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "models/net/keymap.yaml:1:56: no variant has a slot that matches \"fc.weigth\""));
  EXPECT_THAT(Check("Net(3)", "Net(0)", kRule),
              StatusIs(absl::StatusCode::kInvalidArgument, testing::Not(testing::HasSubstr("keymap.yaml"))));
}

}  // namespace
}  // namespace modelport
