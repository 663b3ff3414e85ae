#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/checkpoint/readers.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

std::string OneTensor(const std::string& storage) {
  return PickleDict({{PickleString("a"), PickleTensor(storage, 0, {2}, {1})}});
}

TEST(TorchLegacyReaderTest, ReadsTensorsAndStorages) {
  const std::string file = SmallTorchLegacy();
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents, ReadTorchLegacy(file));
  EXPECT_EQ(contents.format, "torch.save (legacy)");
  ASSERT_EQ(contents.state_dicts.size(), 1);
  EXPECT_EQ(contents.state_dicts[0].tensors.size(), 2);
  ASSERT_EQ(contents.storages.size(), 2);
  EXPECT_EQ(contents.storages[0].name, "0");
  EXPECT_EQ(contents.storages[0].bytes.size(), 24);
  EXPECT_FALSE(contents.storages[0].crc32.has_value());
}

TEST(TorchLegacyReaderTest, SourceTextOfClassesIsIgnored) {
  const std::string source = PicklePersistentId(
      PickleTuple({PickleString("module"), PickleGlobal("nets", "Net"), PickleString("nets.py"), PickleString("...")}));
  const std::string object =
      PickleDict({{PickleString("class"), source},
                  {PickleString("a"), PickleTensor(PickleStorage("FloatStorage", "0", 2), 0, {2}, {1})}});
  EXPECT_OK(ReadTorchLegacy(TorchLegacyFile(object, {{"0", 2, "8 bytes."}})));
}

TEST(TorchLegacyReaderTest, StoragesOfUnsupportedDTypesKeepTheirPlaceInTheFile) {
  const std::string object =
      PickleDict({{PickleString("list"), PickleList({PickleStorage("QUInt8Storage", "0", 1)})},
                  {PickleString("a"), PickleTensor(PickleStorage("FloatStorage", "1", 2), 0, {2}, {1})}});
  const std::string file = TorchLegacyFile(object, {{"0", 1, "q"}, {"1", 2, "8 bytes."}});
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents, ReadTorchLegacy(file));
  EXPECT_EQ(contents.storages[contents.state_dicts[0].tensors[0].storage].bytes, "8 bytes.");
}

TEST(TorchLegacyReaderTest, RefusesDefects) {
  struct Case {
    std::string file;
    absl::StatusCode code;
    std::string message;
  };
  constexpr absl::StatusCode kDataLoss = absl::StatusCode::kDataLoss;
  constexpr absl::StatusCode kUnimplemented = absl::StatusCode::kUnimplemented;
  const std::string storage = PickleStorage("FloatStorage", "0", 2);
  const std::string two_types =
      PickleDict({{PickleString("a"), PickleTensor(storage, 0, {2}, {1})},
                  {PickleString("b"), PickleTensor(PickleStorage("HalfStorage", "0", 2), 0, {2}, {1})}});
  const std::string good = TorchLegacyFile(OneTensor(storage), {{"0", 2, "8 bytes."}});
  const std::string little_endian = PickleString("little_endian");
  const Case cases[] = {
      {Pickled("}"), absl::StatusCode::kInvalidArgument,
       "a Python pickle that torch.save did not write; it holds no tensors"},
      {"\x80\x02X", kDataLoss, "magic number from byte 0: byte 2: the pickle ends"},
      {absl::StrReplaceAll(good, {{PickleInt(1001) + ".", PickleInt(1002) + "."}}), kUnimplemented, "protocol version"},
      {absl::StrReplaceAll(good, {{little_endian + "\x88", little_endian + "\x89"}}), kUnimplemented, "big-endian"},
      {absl::StrReplaceAll(good, {{"little_endian", "little_finger"}}), kDataLoss, "do not tell the byte order"},
      {good.substr(0, 120), kDataLoss, "object from byte"},
      {good.substr(0, good.size() - 1), kDataLoss,
       "storage 0: truncated: wants 2 elements of 4 bytes, the file has 7 bytes"},
      {good.substr(0, good.size() - 9), kDataLoss, "storage 0: truncated"},
      {good + good, kDataLoss, "bytes follow the last storage, perhaps of a second checkpoint"},
      {TorchLegacyFile(OneTensor(storage), {{"0", 1, "8 bytes."}}), kDataLoss, "storage 0: wants 2 elements, has 1"},
      {TorchLegacyFile(OneTensor(storage), {}), kDataLoss, "a: storage 0 is not in the file"},
      {TorchLegacyFile(OneTensor(storage), {{"0", 2, "8 bytes."}, {"0", 2, "8 bytes."}}), kDataLoss,
       "the file has it twice"},
      {TorchLegacyFile(OneTensor(storage), {{"1", 2, "8 bytes."}}), kDataLoss, "a storage key that no tensor uses"},
      {TorchLegacyFile(two_types, {{"0", 2, "8 bytes."}}), kDataLoss, "b: storage 0 has two types or sizes"},
      {TorchLegacyFile(OneTensor(PickleStorage("NewStorage", "0", 2)), {{"0", 2, "8 bytes."}}), kUnimplemented,
       "a tensor of the unknown storage class torch.NewStorage"},
      {TorchLegacyFile(OneTensor(PickleStorage("DoubleStorage", "0", 0x7fffffff)), {{"0", 0x7fffffff, ""}}), kDataLoss,
       "storage 0: truncated: wants 2147483647 elements of 8 bytes, the file has 0 bytes"},
  };
  for (const Case& c : cases) EXPECT_THAT(ReadTorchLegacy(c.file), StatusIs(c.code, HasSubstr(c.message)));
}

}  // namespace
}  // namespace modelport
