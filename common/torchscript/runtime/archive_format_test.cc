#include "common/torchscript/runtime/archive_format.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

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
