#include <libdeflate.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/types/optional.h"
#include "common/checkpoint/readers.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/io/byte_reader.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

std::string TwoNames(const std::string& first_storage, const std::string& second_storage) {
  return PickleDict({{PickleString("a"), PickleTensor(first_storage, 0, {2}, {1})},
                     {PickleString("b"), PickleTensor(second_storage, 0, {2}, {1})}});
}

TEST(TorchZipReaderTest, ReadsTensorsAndStorages) {
  const std::string file = SmallTorchZip();
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents, ReadTorchZip(file));
  EXPECT_EQ(contents.format, "torch.save (zip)");
  ASSERT_EQ(contents.state_dicts.size(), 1);
  EXPECT_EQ(contents.state_dicts[0].tensors.size(), 2);
  ASSERT_EQ(contents.storages.size(), 2);
  EXPECT_EQ(contents.storages[0].name, "archive/data/0");
  EXPECT_EQ(contents.storages[0].bytes.size(), 24);
  EXPECT_TRUE(contents.storages[0].crc32.has_value());
}

TEST(TorchZipReaderTest, TensorsOfOneStorageShareIt) {
  const std::string storage = PickleStorage("FloatStorage", "0", 2);
  const std::string file = TorchZipFile(TwoNames(storage, storage), {{"0", 2, "8 bytes."}});
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents, ReadTorchZip(file));
  EXPECT_EQ(contents.storages.size(), 1);
}

TEST(TorchZipReaderTest, EmptyStoragesMayHaveTwoDTypes) {
  const auto empty = [](const char* type) { return PickleTensor(PickleStorage(type, "0", 0), 0, {0}, {1}); };
  const std::string object =
      PickleDict({{PickleString("a"), empty("FloatStorage")}, {PickleString("b"), empty("IntStorage")}});
  EXPECT_OK(ReadTorchZip(TorchZipFile(object, {{"0", 0, ""}})));
}

TEST(TorchZipReaderTest, BytesMayBeViewedWithAndWithoutAType) {
  const std::string object =
      PickleDict({{PickleString("a"), PickleTensor(PickleStorage("ByteStorage", "0", 8), 0, {8}, {1})},
                  {PickleString("b"), PickleTensor(PickleStorage("UntypedStorage", "0", 8), 0, {8}, {1})}});
  EXPECT_OK(ReadTorchZip(TorchZipFile(object, {{"0", 8, "8 bytes."}})));
}

TEST(TorchZipReaderTest, ArchivesMayListTheirFolders) {
  const std::string storage = PickleStorage("FloatStorage", "0", 2);
  const std::string pickle = Pickled(TwoNames(storage, storage));
  EXPECT_OK(ReadTorchZip(ZipArchive({{"a/", ""}, {"a/data/", ""}, {"a/data.pkl", pickle}, {"a/data/0", "8 bytes."}})));
  EXPECT_THAT(ReadTorchZip(ZipArchive({{"a/data.pkl", pickle}, {"a/data/", "more"}, {"a/data/0", "8 bytes."}})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a/data/: a storage that data.pkl does not mention")));
}

TEST(TorchZipReaderTest, ArchivesMayHaveNoCrc32) {
  const std::string storage = PickleStorage("FloatStorage", "0", 2);
  const std::string pickle = Pickled(TwoNames(storage, storage));
  const std::string file = ZipArchive({{"a/data.pkl", pickle}, {"a/data/0", "8 bytes."}}, {.crc32 = false});
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents, ReadTorchZip(file));
  ASSERT_EQ(contents.storages.size(), 1);
  EXPECT_EQ(contents.storages[0].crc32, absl::nullopt);
}

TEST(TorchZipReaderTest, ACrc32Of0CountsBesideOthers) {
  const std::string storage = PickleStorage("FloatStorage", "0", 2);
  std::string file = TorchZipFile(TwoNames(storage, storage), {{"0", 2, "8 bytes."}});
  const uint32_t crc32 = libdeflate_crc32(0, "8 bytes.", 8);
  file = absl::StrReplaceAll(file, {{LittleEndian(crc32), LittleEndian(uint32_t{0})}});
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents, ReadTorchZip(file));
  EXPECT_EQ(contents.storages[0].crc32, 0);
}

TEST(TorchZipReaderTest, RefusesDefects) {
  struct Case {
    std::string file;
    absl::StatusCode code;
    std::string message;
  };
  constexpr absl::StatusCode kDataLoss = absl::StatusCode::kDataLoss;
  constexpr absl::StatusCode kInvalidArgument = absl::StatusCode::kInvalidArgument;
  const std::string two = PickleStorage("FloatStorage", "0", 2);
  const std::string empty_pickle = Pickled("}");
  const Case cases[] = {
      {TorchZipFile(TwoNames(two, two), {}), kDataLoss, "a: the archive has no data/0"},
      {TorchZipFile(TwoNames(two, two), {{"0", 2, "7 bytes"}}), kDataLoss,
       "a: archive/data/0: wants 2 elements of 4 bytes, has 7 bytes"},
      {TorchZipFile(TwoNames(two, PickleStorage("HalfStorage", "0", 2)), {{"0", 2, "8 bytes."}}), kDataLoss,
       "b: archive/data/0: wants 2 elements of 2 bytes, has 8 bytes"},
      {absl::StrReplaceAll(SmallTorchZip(), {{"_rebuild_tensor_v2", "_rebuild_tensor_v1"}}), kDataLoss,
       "data.pkl: the CRC-32 differs"},
      {ZipArchive({{"m/data.pkl", "\x80\x02N"}}), kDataLoss, "data.pkl: byte 3: the pickle ends without STOP"},
      {ZipArchive({{"m/data.pkl", empty_pickle}, {"m/constants.pkl", ""}}), kInvalidArgument, "holds no tensors"},
      {ZipArchive({{"m/data.pkl", empty_pickle}, {"m/code/m.py", ""}}), kInvalidArgument, "holds no tensors"},
      {ZipArchive({{"a/data.pkl", empty_pickle}, {"b/data.pkl", empty_pickle}}), kInvalidArgument,
       "a zip archive of several checkpoints: a/data.pkl and b/data.pkl"},
      {ZipArchive({{"a/data.pkl", empty_pickle}, {"data.pkl", empty_pickle}}), kInvalidArgument,
       "a zip archive of several checkpoints: a/data.pkl and data.pkl"},
      {ZipArchive({{"a/data.pkl", empty_pickle}, {"a/b/data.pkl", empty_pickle}}), kInvalidArgument,
       "a zip archive of several checkpoints: a/data.pkl and a/b/data.pkl"},
      {TorchZipFile(TwoNames(two, two), {{"0", 2, "8 bytes."}, {"1", 2, "8 bytes."}}), kDataLoss,
       "archive/data/1: a storage that data.pkl does not mention"},
      {TorchZipFile(TwoNames(two, PickleStorage("IntStorage", "0", 2)), {{"0", 2, "8 bytes."}}), kDataLoss,
       "b: archive/data/0 is viewed as float32 and as int32"},
      {ZipArchive({{"weights.npy", ""}}), kInvalidArgument,
       "not a checkpoint: an archive of NumPy arrays\n  save the weights as"},
      {ZipArchive({{"README", ""}, {"net/model.PTH", ""}}), kInvalidArgument,
       "not a checkpoint: a zip archive that holds net/model.PTH\n  unpack it first"},
      {ZipArchive({{"m/archive_format", "pt2"}, {"m/models/model.json", "{}"}}), kInvalidArgument,
       "not a checkpoint: a program of torch.export\n  save its weights as torch.save("},
      {ZipArchive({}), kInvalidArgument, "a zip archive that torch.save did not write"},
      {ZipArchive({{"m/data.pkl", empty_pickle}, {"m/byteorder", "big"}}), absl::StatusCode::kUnimplemented,
       "byte order \"big\""},
  };
  for (const Case& c : cases) EXPECT_THAT(ReadTorchZip(c.file), StatusIs(c.code, HasSubstr(c.message)));
}

}  // namespace
}  // namespace modelport
