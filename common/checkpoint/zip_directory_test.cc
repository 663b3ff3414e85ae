#include "common/checkpoint/zip_directory.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using absl::StatusCode;
using ::testing::HasSubstr;
using testing::HasSubstr;

const std::vector<std::pair<std::string, std::string>>& Records() {
  static const auto& records =
      *new std::vector<std::pair<std::string, std::string>>{{"a/one", "first"}, {"a/empty", ""}, {"a/two", "second"}};
  return records;
}

TEST(ZipDirectoryTest, ReadsEveryVariantOfTheFormat) {
  for (const bool descriptors : {false, true}) {
    for (const bool zip64 : {false, true}) {
      const std::string archive = ZipArchive(Records(), {.descriptors = descriptors, .zip64 = zip64});
      ASSERT_OK_AND_ASSIGN(const std::vector<ZipRecord> records, ReadZipDirectory(archive));
      ASSERT_EQ(records.size(), Records().size());
      for (size_t i = 0; i < records.size(); ++i) {
        EXPECT_EQ(records[i].name, Records()[i].first);
        EXPECT_EQ(records[i].bytes, Records()[i].second);
        EXPECT_EQ(records[i].size, Records()[i].second.size());
        EXPECT_FALSE(records[i].deflated);
      }
      EXPECT_EQ(records[0].crc32, 0x9271ee57u);
    }
  }
}

TEST(ZipDirectoryTest, ReadsDeflatedRecordsWhereTheyAreAllowed) {
  const std::string text(1000, 'x');
  for (const bool descriptors : {false, true}) {
    for (const bool zip64 : {false, true}) {
      const std::string archive =
          ZipArchive({{"a/one", text}}, {.descriptors = descriptors, .zip64 = zip64, .deflate = true});
      ASSERT_OK_AND_ASSIGN(const std::vector<ZipRecord> records,
                           ReadZipDirectory(archive, ZipMethods::kStoredAndDeflated));
      ASSERT_EQ(records.size(), 1);
      EXPECT_TRUE(records[0].deflated);
      EXPECT_EQ(records[0].size, text.size());
      EXPECT_LT(records[0].bytes.size(), 20);
      EXPECT_THAT(ReadZipDirectory(archive),
                  StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("\"a/one\": a compressed record")));
    }
  }
  EXPECT_THAT(ReadZipDirectory(ZipArchive(Records(), {.method = 12}), ZipMethods::kStoredAndDeflated),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("a compressed record")));
}

TEST(ZipDirectoryTest, ReadsAnArchiveWithAComment) {
  const std::string archive = ZipArchive(Records());
  const std::string commented = absl::StrCat(archive.substr(0, archive.size() - 2), std::string("\4\0", 2), "note");
  EXPECT_OK(ReadZipDirectory(commented));
}

TEST(ZipDirectoryTest, ReadsAnEmptyArchive) {
  ASSERT_OK_AND_ASSIGN(const std::vector<ZipRecord> records, ReadZipDirectory(ZipArchive({})));
  EXPECT_TRUE(records.empty());
}

TEST(ZipDirectoryTest, RefusesDefects) {
  struct Case {
    std::string archive;
    absl::StatusCode code;
    std::string message;
  };
  const std::string good = ZipArchive(Records());
  const std::string described = ZipArchive(Records(), {.descriptors = true});
  constexpr absl::StatusCode kDataLoss = absl::StatusCode::kDataLoss;
  const Case cases[] = {
      {good.substr(0, good.size() - 1), kDataLoss, "truncated zip archive"},
      {good.substr(0, 30), kDataLoss, "truncated zip archive"},
      {good.substr(10), kDataLoss, "the central directory is not where the archive says"},
      {absl::StrCat("junk", good), kDataLoss, "the central directory is not where the archive says"},
      {ZipArchive({{"a", "1"}, {"a", "2"}}), kDataLoss, "\"a\": damaged zip archive: there are two of them"},
      {ZipArchive(Records(), {.flags = 1}), absl::StatusCode::kUnimplemented, "\"a/one\": an encrypted record"},
      {ZipArchive(Records(), {.method = 8}), absl::StatusCode::kUnimplemented, "\"a/one\": a compressed record"},
      {ZipArchive(Records(), {.first_offset = 1}), kDataLoss, "no header where the directory says"},
      {ZipArchive(Records(), {.extra_size = 1}), kDataLoss, "header and central directory differ"},
      {ZipArchive(Records(), {.descriptors = true, .extra_size = 1}), kDataLoss,
       "descriptor and central directory differ"},
      {ZipArchive(Records(), {.descriptors = true, .zip64 = true, .extra_size = 1 << 30}), kDataLoss,
       "the record reaches beyond the archive"},
      {absl::StrReplaceAll(described, {{"PK\7\x08", "PK\7\x09"}}), kDataLoss,
       "descriptor and central directory differ"},
      {absl::StrReplaceAll(good, {{"PK\1\2", "PK\1\3"}}), kDataLoss, "an entry of the central directory is broken"},
  };
  for (const Case& c : cases) EXPECT_THAT(ReadZipDirectory(c.archive), StatusIs(c.code, HasSubstr(c.message)));
}

TEST(ZipDirectoryTest, RefusesARecordWithinAnother) {
  // The bytes of the outer record are an archive; its entry joins those of the outer directory.
  const std::string inner = ZipArchive({{"inner", "payload"}});
  const std::string outer = ZipArchive({{"outer", inner}});
  const size_t inner_entry = inner.find("PK\1\2");
  const size_t inner_end = inner.find("PK\5\6");
  std::string entry = inner.substr(inner_entry, inner_end - inner_entry);
  const size_t outer_end = outer.rfind("PK\5\6");
  std::string end = outer.substr(outer_end);
  entry[42] = static_cast<char>(outer.find("PK\3\4", 1));
  end[8] = end[10] = 2;
  end[12] = static_cast<char>(end[12] + entry.size());
  EXPECT_THAT(ReadZipDirectory(absl::StrCat(outer.substr(0, outer_end), entry, end)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("records overlap")));
}

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
