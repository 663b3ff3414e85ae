#include "common/checkpoint/testing/checkpoint_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/io/byte_reader.h"

namespace modelport {
namespace {

std::string DataOfA() { return LittleEndian(std::vector<float>{0, 1, 2, 3, 4, 5}); }
std::string DataOfB() { return LittleEndian(std::vector<float>{6, 7}); }

std::string SmallObject() {
  return PickleDict({{PickleString("a"), PickleTensor(PickleStorage("FloatStorage", "0", 6), 0, {2, 3}, {3, 1})},
                     {PickleString("b"), PickleTensor(PickleStorage("FloatStorage", "1", 2), 0, {2}, {1})}});
}

}  // namespace

std::string TorchZipFile(absl::string_view object, const std::vector<StorageData>& storages) {
  std::vector<std::pair<std::string, std::string>> records = {{"archive/data.pkl", Pickled(object)},
                                                              {"archive/byteorder", "little"}};
  for (const StorageData& storage : storages) records.emplace_back("archive/data/" + storage.key, storage.bytes);
  records.emplace_back("archive/version", "3\n");
  return ZipArchive(records, {.descriptors = true});
}

std::string TorchLegacyFile(absl::string_view object, const std::vector<StorageData>& storages) {
  const std::string magic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
  const std::string system =
      PickleDict({{PickleString("protocol_version"), PickleInt(1001)}, {PickleString("little_endian"), "\x88"}});
  std::vector<std::string> keys;
  std::string data;
  for (const StorageData& storage : storages) {
    keys.push_back(PickleString(storage.key));
    absl::StrAppend(&data, LittleEndian(storage.elements), storage.bytes);
  }
  return absl::StrCat(Pickled(magic), Pickled(PickleInt(1001)), Pickled(system), Pickled(object),
                      Pickled(PickleList(keys)), data);
}

std::string SafetensorsFile(absl::string_view header, absl::string_view data) {
  return absl::StrCat(LittleEndian<uint64_t>(header.size()), header, data);
}

std::string SmallTorchZip() { return TorchZipFile(SmallObject(), {{"0", 6, DataOfA()}, {"1", 2, DataOfB()}}); }

std::string SmallTorchLegacy() { return TorchLegacyFile(SmallObject(), {{"0", 6, DataOfA()}, {"1", 2, DataOfB()}}); }

std::string SmallSafetensors() {
  return SafetensorsFile(R"({"__metadata__":{"format":"pt"},)"
                         R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                         R"("b":{"dtype":"F32","shape":[2],"data_offsets":[24,32]}})",
                         absl::StrCat(DataOfA(), DataOfB()));
}

}  // namespace modelport
