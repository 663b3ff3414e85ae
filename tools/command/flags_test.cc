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

struct PartFlags {
  explicit PartFlags(FlagGroup& group)
      : layout(group, "layout", "auto", "the layout"), notes(group, "notes", 3, "how many notes") {}

  Flag<std::string> layout;
  Flag<int32_t> notes;
};

struct SampleFlags {
  FlagGroup group;
  Flag<std::string> model{group, "model", "", "the variant"};
  Flag<bool> verify{group, "verify", true, "whether to verify"};
  PartFlags part{group};
};

TEST(FlagsTest, SetsFlagsHoweverTheyAreWritten) {
  SampleFlags flags;
  ASSERT_OK(ParseFlags(flags.group, {"--", "--model=a=b", "-layout", "--x", "--noverify", "--notes=4"}));
  EXPECT_EQ(*flags.model, "a=b");
  EXPECT_EQ(*flags.part.layout, "--x");
  EXPECT_FALSE(*flags.verify);
  EXPECT_EQ(*flags.part.notes, 4);
  ASSERT_OK(ParseFlags(flags.group, {"--verify", "--model="}));
  EXPECT_TRUE(*flags.verify);
  EXPECT_EQ(*flags.model, "");
  ASSERT_OK(ParseFlags(flags.group, {"--verify=false"}));
  EXPECT_FALSE(*flags.verify);
}

TEST(FlagsTest, NoFlagIsIgnored) {
  SampleFlags flags;
  flags.part.notes.OnlyWith({&flags.verify, &flags.part.layout});
  flags.model.NotWith({&flags.part.layout}, "a model has one");
  EXPECT_THAT(ParseFlags(flags.group, {"--notes=4"}),
              StatusIs(absl::StatusCode::kInvalidArgument, "--notes changes nothing without --verify or --layout"));
  ASSERT_OK(ParseFlags(flags.group, {"--notes=4", "--noverify"}));
  EXPECT_THAT(ParseFlags(flags.group, {"--model=m", "--layout=x"}),
              StatusIs(absl::StatusCode::kInvalidArgument, "--model and --layout do not go together: a model has one"));
  // A default is as good as no flag.
  ASSERT_OK(ParseFlags(flags.group, {"--model=m", "--layout=auto"}));
  ASSERT_OK(ParseFlags(flags.group, {"--model=m", "--layout=auto", "--notes=3", "--verify"}));
}

TEST(FlagsTest, SaysWhatIsWrong) {
  SampleFlags flags;
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
    EXPECT_THAT(ParseFlags(flags.group, test.arguments),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(test.message)));
  }
}

TEST(FlagsTest, ReturnsWhatIsNoFlag) {
  SampleFlags flags;
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> others,
                       ParseFlags(flags.group, {"--", "a.pt", "--notes", "4", "", "b.pt"}));
  EXPECT_THAT(others, testing::ElementsAre("a.pt", "", "b.pt"));
  EXPECT_EQ(*flags.part.notes, 4);
}

TEST(FlagsTest, TwoValuesDoNotSeeEachOther) {
  SampleFlags one, other, untouched;
  ASSERT_OK(ParseFlags(one.group, {"--model=a", "--notes=4", "--noverify"}));
  ASSERT_OK(ParseFlags(other.group, {"--model=b", "--layout=timm"}));
  EXPECT_EQ(*one.model, "a");
  EXPECT_EQ(*one.part.layout, "auto");
  EXPECT_EQ(*one.part.notes, 4);
  EXPECT_FALSE(*one.verify);
  EXPECT_EQ(*other.model, "b");
  EXPECT_EQ(*other.part.layout, "timm");
  EXPECT_EQ(*other.part.notes, 3);
  EXPECT_TRUE(*other.verify);
  EXPECT_EQ(*untouched.model, "");
}

struct OwnFlags {
  OwnFlags() {
    part.notes.set_help("at most so many notes");
    Remove(group, {&part.layout});
  }

  FlagGroup group;
  Flag<std::vector<std::string>> model{group, "model", {"a", "b"}, "models"};
  PartFlags part{group};
};

TEST(FlagsTest, AToolMayDescribeASharedFlagAndLeaveOthersOut) {
  OwnFlags flags;
  EXPECT_EQ(FlagsTable(flags.group),
            "  --model=...  models (default: a,b)\n"
            "  --notes=...  at most so many notes (default: 3)\n");
  ASSERT_OK(ParseFlags(flags.group, {"--notes=4", "--model=d,e"}));
  EXPECT_EQ(*flags.part.notes, 4);
  EXPECT_THAT(*flags.model, testing::ElementsAre("d", "e"));
  EXPECT_THAT(ParseFlags(flags.group, {"--layout=x"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--layout: no such flag")));
  EXPECT_EQ(FlagsTable(flags.group).find("default: 4"), std::string::npos);
}

TEST(FlagsTest, WhatWasGivenCanBeTypedAgain) {
  SampleFlags flags;
  EXPECT_EQ(FlagsAgain(flags.group), "");
  ASSERT_OK(ParseFlags(flags.group, {"--model=it's a model", "--layout=timm", "--notes=3"}));
  EXPECT_EQ(FlagsAgain(flags.group), " '--model=it'\\''s a model' --layout=timm");
  EXPECT_EQ(ShellFlag("out", "a/b-c_1.pt"), "--out=a/b-c_1.pt");
  EXPECT_EQ(ShellFlag("out", "$(a)"), "'--out=$(a)'");
}

TEST(FlagsTest, TheTableShowsEveryFlagWithItsDefault) {
  SampleFlags flags;
  EXPECT_EQ(FlagsTable(flags.group),
            "  --layout=...  the layout (default: auto)\n"
            "  --model=...   the variant\n"
            "  --notes=...   how many notes (default: 3)\n"
            "  --[no]verify  whether to verify (default: true)\n");
}

}  // namespace
}  // namespace modelport
