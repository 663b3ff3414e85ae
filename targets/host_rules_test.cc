#include "targets/host_rules.h"

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "targets/targets.h"

namespace modelport {
namespace {

TEST(HostRulesTest, NukeHasRulesAndLibTorchHasNone) {
  ASSERT_OK_AND_ASSIGN(const Target* nuke, FindTarget("nuke"));
  EXPECT_FALSE(HostRules(*nuke).empty());
  ASSERT_OK_AND_ASSIGN(const Target* libtorch, FindTarget("libtorch"));
  EXPECT_TRUE(HostRules(*libtorch).empty());
}

}  // namespace
}  // namespace modelport
