#include "common/checkpoint/record_content.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

// An archive of one deflated record.
class RecordContentTest : public testing::Test {
 protected:
  RecordContentTest() : archive_(ZipArchive({{"a/text", text_}}, {.deflate = true})) {
    const auto records = ReadZipDirectory(archive_, ZipMethods::kStoredAndDeflated);
    EXPECT_OK(records);
    if (records.ok()) record_ = records->front();
  }

  const std::string text_ = std::string(5000, 'x') + "y";
  const std::string archive_;
  ZipRecord record_;
};

TEST_F(RecordContentTest, InflatesUpToTheLimit) {
  ASSERT_OK_AND_ASSIGN(const std::string content, InflateRecord(record_, text_.size()));
  EXPECT_EQ(content, text_);
  EXPECT_THAT(InflateRecord(record_, text_.size() - 1),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("wants at most 5000 bytes, inflates to 5001")));
}

TEST_F(RecordContentTest, RefusesAnotherSizeThanIsStated) {
  for (const int difference : {-1, 1, 1 << 20}) {
    ZipRecord record = record_;
    record.size += difference;
    EXPECT_THAT(InflateRecord(record, 1 << 30), StatusIs(StatusCode::kDataLoss, HasSubstr("does not inflate to")));
  }
}

TEST_F(RecordContentTest, RefusesDamage) {
  ZipRecord record = record_;
  record.bytes.remove_suffix(1);
  EXPECT_THAT(InflateRecord(record, 1 << 30), StatusIs(StatusCode::kDataLoss, HasSubstr("does not inflate to")));
  record = record_;
  ++record.crc32;
  EXPECT_THAT(InflateRecord(record, 1 << 30), StatusIs(StatusCode::kDataLoss, HasSubstr("CRC-32 differs")));
}

}  // namespace
}  // namespace modelport
