#include "common/torchscript/archive/archive_writer.h"

#include <caffe2/serialize/inline_container.h>
#include <sys/mman.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/zip_directory.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/module_archive.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using caffe2::serialize::PyTorchStreamReader;
using testing::ElementsAre;

std::string Bytes(const ArchivePieces& archive) {
  std::string bytes(archive.size(), '\0');
  archive.read(0, bytes.data(), bytes.size(), "");
  return bytes;
}

std::string Record(PyTorchStreamReader& reader, const std::string& path) {
  const auto [data, size] = reader.getRecord(path);
  return std::string(static_cast<const char*>(data.get()), size);
}

// A version record, which LibTorch's reader asks for.
void AddVersion(ArchiveWriter& writer) { ASSERT_OK(writer.AddStored("version", "5\n")); }

TEST(ArchiveWriterTest, BothReadersReadWhatItWrites) {
  const std::string weights = "weights", code(1000, 'c');
  const auto archive = std::make_shared<ArchivePieces>();
  ArchiveWriter writer(*archive);
  ASSERT_OK(writer.AddStored("data.pkl", "pickle"));
  ASSERT_OK(writer.AddDeflated("code/a.py", code));
  ASSERT_OK(writer.AddLasting("data/0", weights));
  ASSERT_OK(writer.AddLasting("data/1", ""));
  AddVersion(writer);
  ASSERT_OK(writer.Finish());

  PyTorchStreamReader reader(archive);
  EXPECT_THAT(reader.getAllRecords(), ElementsAre("data.pkl", "code/a.py", "data/0", "data/1", "version"));
  EXPECT_EQ(Record(reader, "data.pkl"), "pickle");
  EXPECT_EQ(Record(reader, "code/a.py"), code);
  EXPECT_EQ(archive->View(reader.getRecordOffset("data/0"), 7).data(), weights.data());
  EXPECT_EQ(reader.getRecordSize("data/1"), 0);

  const std::string bytes = Bytes(*archive);
  ASSERT_OK_AND_ASSIGN(const std::vector<ZipRecord> records, ReadZipDirectory(bytes, ZipMethods::kStoredAndDeflated));
  ASSERT_EQ(records.size(), 5);
  EXPECT_EQ(records[0].name, "archive/data.pkl");
  EXPECT_OK(CheckCrc32(records[0], "pickle"));
  EXPECT_LT(records[1].bytes.size(), 50);
  ASSERT_OK_AND_ASSIGN(const std::string inflated, InflateRecord(records[1], code.size()));
  EXPECT_EQ(inflated, code);
  EXPECT_OK(CheckCrc32(records[2], weights));
}

TEST(ArchiveWriterTest, StoredBytesBeginAtMultiplesOf64) {
  const auto archive = std::make_shared<ArchivePieces>();
  ArchiveWriter writer(*archive);
  AddVersion(writer);
  std::string path = "data/";
  for (int i = 0; i < 130; ++i) ASSERT_OK(writer.AddStored(path += 'x', std::string(i, 'y')));
  ASSERT_OK(writer.Finish());
  PyTorchStreamReader reader(archive);
  for (const std::string& name : reader.getAllRecords()) EXPECT_EQ(reader.getRecordOffset(name) % 64, 0) << name;
}

TEST(ArchiveWriterTest, LibTorchReadsMoreThan65535Records) {
  const auto archive = std::make_shared<ArchivePieces>();
  ArchiveWriter writer(*archive);
  AddVersion(writer);
  for (int i = 0; i < 70000; ++i) ASSERT_OK(writer.AddStored(absl::StrCat("data/", i), absl::StrCat(i)));
  ASSERT_OK(writer.Finish());
  PyTorchStreamReader reader(archive);
  EXPECT_EQ(Record(reader, "data/69999"), "69999");
  ASSERT_OK_AND_ASSIGN(const std::vector<ZipRecord> records, ReadZipDirectory(Bytes(*archive)));
  EXPECT_EQ(records.size(), 70001);
}

// Bytes that are all zero, of which memory holds one page.
class Zeros {
 public:
  explicit Zeros(size_t size)
      : size_(size), data_(mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Zeros() { munmap(data_, size_); }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;

  absl::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  const size_t size_;
  void* const data_;
};

TEST(ArchiveWriterTest, LibTorchReadsSizesAndOffsetsOfMoreThan32Bits) {
  const Zeros zeros((uint64_t{1} << 32) + 5);
  const auto archive = std::make_shared<ArchivePieces>();
  ArchiveWriter writer(*archive);
  AddVersion(writer);
  ASSERT_OK(writer.AddLasting("data/0", zeros.bytes()));
  ASSERT_OK(writer.AddStored("data/1", "beyond"));
  ASSERT_OK(writer.Finish());
  PyTorchStreamReader reader(archive);
  EXPECT_EQ(reader.getRecordSize("data/0"), zeros.bytes().size());
  EXPECT_EQ(archive->View(reader.getRecordOffset("data/0"), zeros.bytes().size()).data(), zeros.bytes().data());
  EXPECT_EQ(reader.getRecordOffset("data/1") % 64, 0);
  EXPECT_EQ(Record(reader, "data/1"), "beyond");
}

// Takes some bytes and fails after that.
class FullWriter : public Writer {
 public:
  absl::Status Write(absl::string_view bytes) override {
    room_ -= static_cast<int>(bytes.size());
    return room_ < 0 ? absl::ResourceExhaustedError("full") : absl::OkStatus();
  }

 private:
  int room_ = 100;
};

TEST(ArchiveWriterTest, AnErrorOfTheWriterIsReturned) {
  FullWriter full;
  ArchiveWriter writer(full);
  EXPECT_OK(writer.AddStored("a", "short"));
  EXPECT_THAT(writer.AddLasting("b", std::string(100, 'b')), StatusIs(absl::StatusCode::kResourceExhausted, "full"));
}

}  // namespace
}  // namespace modelport
