#include "common/torchscript/runtime/runtime.h"

#include "absl/status/status.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(FindRuntimeTest, FindsByName) {
  ASSERT_OK_AND_ASSIGN(const Runtime* const runtime, FindRuntime("1.12"));
  EXPECT_EQ(runtime->name, "1.12");
}

TEST(FindRuntimeTest, APatchReleaseIsItsRelease) {
  for (const char* name : {"1.12.0", "1.12.1", "1.12.12"}) {
    ASSERT_OK_AND_ASSIGN(const Runtime* const runtime, FindRuntime(name));
    EXPECT_EQ(runtime->name, "1.12");
  }
  for (const char* name : {"1.12.", "1.12.x", "1.12.1.0", "1.121", "1.13.1", ".1", ""}) {
    EXPECT_THAT(FindRuntime(name), StatusIs(absl::StatusCode::kInvalidArgument, testing::HasSubstr("unknown runtime")))
        << name;
  }
}

TEST(FindRuntimeTest, NamesTheNearestOrAll) {
  EXPECT_THAT(FindRuntime("1.13"),
              StatusIs(absl::StatusCode::kInvalidArgument, "unknown runtime \"1.13\"; nearest: 1.12, 2.13, 1.6"));
  EXPECT_THAT(FindRuntime("newest"), StatusIs(absl::StatusCode::kInvalidArgument,
                                              "unknown runtime \"newest\"; known: 1.6, 1.12, 2.1, 2.7, 2.13"));
}

TEST(IsAtLeastTest, ComparesAgesAndNotText) {
  EXPECT_TRUE(IsAtLeast("1.12", "1.6"));
  EXPECT_TRUE(IsAtLeast("1.12", "1.12"));
  EXPECT_FALSE(IsAtLeast("1.6", "1.12"));
  EXPECT_TRUE(IsAtLeast("2.13", "2.7"));
}

TEST(IsAtLeastTest, AnUnknownRuntimeIsNeitherOlderNorNewer) {
  EXPECT_FALSE(IsAtLeast("2.7", ""));
  EXPECT_FALSE(IsAtLeast("", "2.7"));
  EXPECT_FALSE(IsAtLeast("", ""));
}

TEST(FormatForTest, HasNewRecordsOnlyForRuntimesThatReadThem) {
  for (const Runtime& runtime : Runtimes()) {
    const ArchiveFormat format = FormatFor(runtime);
    EXPECT_EQ(format.version, runtime.max_archive_version) << runtime.name;
    EXPECT_EQ(format.new_records, runtime.name != "1.6") << runtime.name;
    EXPECT_FALSE(format.none_type) << runtime.name;
  }
}

}  // namespace

}  // namespace modelport
