#include "tools/command/flags.h"

#include <cstdint>
#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

FlagGroup flags;
Flag<std::string> FLAGS_model(flags, "model", "", "the variant");
Flag<std::string> FLAGS_layout(flags, "layout", "auto", "the layout");
Flag<bool> FLAGS_verify(flags, "verify", true, "whether to verify");
Flag<int32_t> FLAGS_notes(flags, "notes", 3, "how many notes");

FlagGroup other_flags;
Flag<std::vector<std::string>> OTHER_model(other_flags, "model", {"a", "b"}, "models");

TEST(FlagsTest, SetsFlagsHoweverTheyAreWritten) {
  ASSERT_OK(ParseFlags(flags, {"--", "--model=a=b", "-layout", "--x", "--noverify", "--notes=4"}));
  EXPECT_EQ(*FLAGS_model, "a=b");
  EXPECT_EQ(*FLAGS_layout, "--x");
  EXPECT_FALSE(*FLAGS_verify);
  EXPECT_EQ(*FLAGS_notes, 4);
  ASSERT_OK(ParseFlags(flags, {"--verify", "--model="}));
  EXPECT_TRUE(*FLAGS_verify);
  EXPECT_EQ(*FLAGS_model, "");
  ASSERT_OK(ParseFlags(flags, {"--verify=false"}));
  EXPECT_FALSE(*FLAGS_verify);
}

TEST(FlagsTest, SaysWhatIsWrong) {
  const struct {
    std::vector<const char*> arguments;
    std::string message;
  } kCases[] = {
      {{"--modle=x"}, "--modle: no such flag; nearest: --model"},
      {{"--nomodel"}, "--nomodel: no such flag; nearest: --model"},
      {{"--no"}, "--no: no such flag"},
      {{"--verify=perhaps"}, "--verify=perhaps: wants true or false"},
      {{"--notes=many"}, "--notes=many: wants a number"},
      {{"--verify", "--model"}, "--model: wants a value, as in --model=VALUE"},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(ParseFlags(flags, test.arguments),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(test.message)));
  }
}

TEST(FlagsTest, ReturnsWhatIsNoFlag) {
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> others,
                       ParseFlags(flags, {"--", "a.pt", "--notes", "4", "", "b.pt"}));
  EXPECT_THAT(others, testing::ElementsAre("a.pt", "", "b.pt"));
  EXPECT_EQ(*FLAGS_notes, 4);
}

TEST(FlagsTest, StartsFromTheDefaults) {
  ASSERT_OK(ParseFlags(flags, {"--notes=4", "--noverify"}));
  ASSERT_OK(ParseFlags(flags, {}));
  EXPECT_EQ(*FLAGS_notes, 3);
  EXPECT_TRUE(*FLAGS_verify);
}

TEST(FlagsTest, GroupsMayHaveFlagsOfTheSameName) {
  ASSERT_OK(ParseFlags(flags, {"--model=c"}));
  ASSERT_OK(ParseFlags(other_flags, {"--model=d,e"}));
  EXPECT_EQ(*FLAGS_model, "c");
  EXPECT_THAT(*OTHER_model, testing::ElementsAre("d", "e"));
  EXPECT_THAT(ParseFlags(other_flags, {"--layout=x"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--layout: no such flag")));
  EXPECT_EQ(FlagsTable(other_flags), "  --model=...  models (default: a,b)\n");
}

FlagGroup own_flags;
FlagWithHelp OWN_notes(own_flags, FLAGS_notes, "at most so many notes");

TEST(FlagsTest, AToolMayDescribeASharedFlagAndLeaveOthersOut) {
  const FlagGroup group = own_flags + Without(flags, {"notes", "model", "verify"});
  EXPECT_EQ(FlagsTable(group),
            "  --layout=...  the layout (default: auto)\n"
            "  --notes=...   at most so many notes (default: 3)\n");
  ASSERT_OK(ParseFlags(group, {"--notes=4"}));
  EXPECT_EQ(*FLAGS_notes, 4);
  ASSERT_OK(ParseFlags(group, {}));
  EXPECT_EQ(*FLAGS_notes, 3);
  EXPECT_THAT(ParseFlags(group, {"--verify"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--verify: no such flag")));
}

TEST(FlagsTest, TheTableShowsEveryFlagWithItsDefault) {
  EXPECT_EQ(FlagsTable(flags),
            "  --layout=...  the layout (default: auto)\n"
            "  --model=...   the variant\n"
            "  --notes=...   how many notes (default: 3)\n"
            "  --[no]verify  whether to verify (default: true)\n");
}

}  // namespace
}  // namespace modelport
