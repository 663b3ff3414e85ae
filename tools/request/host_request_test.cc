#include "tools/request/host_request.h"

#include <string>
#include <vector>

#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/command/flags.h"

namespace modelport {
namespace {

using testing::StartsWith;

absl::StatusOr<HostRequest> Parse(const std::vector<const char*>& arguments) {
  FlagGroup group;
  HostFlags flags(group);
  RETURN_IF_ERROR(ParseFlags(group, arguments).status());
  return ParseHostRequest(flags);
}

TEST(HostRequestTest, TheFlagsNameAHostAndItsLibTorch) {
  const struct {
    std::vector<const char*> flags;
    std::string target, runtime;  // The runtime's name; "" for none.
  } cases[] = {
      {{}, "libtorch", ""},
      {{"--target=nuke"}, "nuke", ""},
      {{"--runtime=1.6"}, "libtorch", "1.6"},
      {{"--runtime=1.12.1"}, "libtorch", "1.12"},
      {{"--nuke=14"}, "nuke", "1.12"},
      {{"--nuke=15"}, "nuke", "1.12"},
      {{"--nuke=15.1", "--target=nuke"}, "nuke", "2.1"},
      {{"--nuke=13", "--runtime=1.6.0"}, "nuke", "1.6"},
  };
  for (const auto& c : cases) {
    ASSERT_OK_AND_ASSIGN(const HostRequest request, Parse(c.flags));
    EXPECT_EQ(request.target->name, c.target);
    EXPECT_EQ(request.runtime == nullptr ? "" : std::string(request.runtime->name), c.runtime);
  }
}

TEST(HostRequestTest, SeveralReleasesAreARequestEach) {
  FlagGroup group;
  HostFlags flags(group);
  ASSERT_OK(ParseFlags(group, std::vector<const char*>{"--nuke=13,15.1v2"}).status());
  ASSERT_OK_AND_ASSIGN(const std::vector<HostRequest> requests, ParseHostRequests(flags));
  ASSERT_EQ(requests.size(), 2);
  EXPECT_EQ(requests[0].release, "13");
  EXPECT_EQ(requests[0].runtime->name, "1.6");
  EXPECT_EQ(requests[1].release, "15.1v2");
  EXPECT_EQ(requests[1].runtime->name, "2.1");
  EXPECT_EQ(requests[1].target->name, "nuke");
}

TEST(HostRequestTest, WrongFlagsAreNamed) {
  const struct {
    std::vector<const char*> flags;
    std::string message;
  } cases[] = {
      {{"--target=maya"}, "--target=maya: unknown target \"maya\""},
      {{"--runtime=0.4"}, "--runtime=0.4: unknown runtime \"0.4\""},
      {{"--nuke=12"}, "--nuke=12: unknown Nuke \"12\""},
      {{"--nuke=14", "--target=libtorch"}, "--nuke=14: means --target=nuke, and --target=libtorch is given"},
      {{"--nuke=14", "--runtime=1.6"}, "--nuke=14: its LibTorch is 1.12, and --runtime=1.6 is given"},
      {{"--nuke=13,14"}, "--nuke: wants one release here, such as --nuke=13, which is the oldest that has to load"},
      {{"--nuke=13,12"}, "--nuke=12: unknown Nuke \"12\""},
      {{"--nuke=13,13"}, "--nuke=13,13: names 13 twice"},
      {{"--nuke=13,13.0"},
       "--nuke=13,13.0: 13 and 13.0 have one LibTorch, so that one file is for both; leave out 13.0"},
      {{"--nuke=14,"}, "--nuke=14,: wants a name before and after each comma"},
      {{"--nuke=13,14", "--runtime=1.6"}, "--nuke=14: its LibTorch is 1.12, and --runtime=1.6 is given"},
      {{"--nuke=14", "--runtime=0.4"}, "--runtime=0.4: unknown runtime"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(Parse(c.flags), StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(c.message)));
  }
}

}  // namespace
}  // namespace modelport
