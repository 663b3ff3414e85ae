#include "tools/flags.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

ABSL_FLAG(std::string, model, "", "the variant");
ABSL_FLAG(std::string, layout, "auto", "the layout");
ABSL_FLAG(bool, verify, true, "whether to verify");
ABSL_FLAG(int32_t, notes, 3, "how many notes");

namespace modelport {
namespace {

using testing::HasSubstr;

class FlagsTest : public testing::Test {
  absl::FlagSaver saver_;
};

TEST_F(FlagsTest, SetsFlagsHoweverTheyAreWritten) {
  ASSERT_OK(ParseFlags({"--", "--model=a=b", "-layout", "--x", "--noverify", "--notes=4"}));
  EXPECT_EQ(absl::GetFlag(FLAGS_model), "a=b");
  EXPECT_EQ(absl::GetFlag(FLAGS_layout), "--x");
  EXPECT_FALSE(absl::GetFlag(FLAGS_verify));
  EXPECT_EQ(absl::GetFlag(FLAGS_notes), 4);
  ASSERT_OK(ParseFlags({"--verify", "--model="}));
  EXPECT_TRUE(absl::GetFlag(FLAGS_verify));
  EXPECT_EQ(absl::GetFlag(FLAGS_model), "");
  ASSERT_OK(ParseFlags({"--verify=false"}));
  EXPECT_FALSE(absl::GetFlag(FLAGS_verify));
}

TEST_F(FlagsTest, SaysWhatIsWrong) {
  const struct {
    std::vector<const char*> arguments;
    std::string message;
  } kCases[] = {
      {{"--modle=x"}, "--modle: no such flag; nearest: --model"},
      {{"--nomodel"}, "--nomodel: no such flag; nearest: --model"},
      {{"--no"}, "--no: no such flag"},
      {{"--verify=perhaps"}, "--verify=perhaps: wants true or false"},
      {{"--notes=many"}, "--notes=many: "},
      {{"--verify", "--model"}, "--model: wants a value, as in --model=VALUE"},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(ParseFlags(test.arguments), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(test.message)));
  }
}

TEST_F(FlagsTest, ReturnsWhatIsNoFlag) {
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> others, ParseFlags({"--", "a.pt", "--notes", "4", "", "b.pt"}));
  EXPECT_THAT(others, testing::ElementsAre("a.pt", "", "b.pt"));
  EXPECT_EQ(absl::GetFlag(FLAGS_notes), 4);
}

TEST_F(FlagsTest, HelpShowsEveryFlagWithItsDefault) {
  EXPECT_EQ(FlagsHelp("Does things."),
            "Does things.\n\n"
            "  --layout=...  the layout (default: auto)\n"
            "  --model=...   the variant\n"
            "  --notes=...   how many notes (default: 3)\n"
            "  --[no]verify  whether to verify (default: true)\n");
}

}  // namespace
}  // namespace modelport
