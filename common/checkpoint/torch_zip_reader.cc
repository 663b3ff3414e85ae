#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/checkpoint/file_kind.h"
#include "common/checkpoint/pickle/budget.h"
#include "common/checkpoint/pickle/machine.h"
#include "common/checkpoint/readers.h"
#include "common/checkpoint/state_dict_collector.h"
#include "common/checkpoint/torch_tensor.h"
#include "common/checkpoint/zip_directory.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

// The memory of a record and of a storage in vectors and maps, which grow by doubling.
constexpr size_t kRecordCost = sizeof(ZipRecord) + 6 * sizeof(void*);
constexpr size_t kStorageCost = 2 * sizeof(Storage) + 6 * sizeof(void*);

// The records of an archive by their path below its top folder, which has the name of the file as it was saved.
class Archive {
 public:
  explicit Archive(const std::vector<ZipRecord>& records);

  // The names of all records that are called data.pkl, whatever their folder.
  const std::vector<absl::string_view>& pickles() const { return pickles_; }

  // False if every record states 0, as after torch.serialization.set_crc32_options(False).
  bool StatesCrc32() const { return states_crc32_; }

  // Null if there is none.
  const ZipRecord* Find(absl::string_view path) const;

  // DataLoss names a storage that is not in `keys`.
  absl::Status CheckStoragesAreIn(const absl::flat_hash_set<absl::string_view>& keys) const;

 private:
  std::string folder_;  // With a slash; empty for an archive without a pickle.
  std::vector<absl::string_view> pickles_;
  bool states_crc32_ = false;
  absl::flat_hash_map<absl::string_view, const ZipRecord*> records_;
};

Archive::Archive(const std::vector<ZipRecord>& records) {
  for (const ZipRecord& record : records) {
    if (record.bytes.empty() && absl::EndsWith(record.name, "/")) continue;  // A folder, as other packers write them.
    records_[record.name] = &record;
    states_crc32_ |= record.crc32 != 0;
    absl::string_view folder = record.name;
    if (folder != "data.pkl" && !absl::ConsumeSuffix(&folder, "/data.pkl")) continue;
    if (pickles_.empty() && folder != record.name) folder_ = absl::StrCat(folder, "/");
    pickles_.push_back(record.name);
  }
}

const ZipRecord* Archive::Find(absl::string_view path) const {
  const auto found = records_.find(absl::StrCat(folder_, path));
  return found == records_.end() ? nullptr : found->second;
}

absl::Status Archive::CheckStoragesAreIn(const absl::flat_hash_set<absl::string_view>& keys) const {
  const std::string prefix = absl::StrCat(folder_, "data/");
  for (const auto& [name, record] : records_) {
    absl::string_view key = name;
    if (!absl::ConsumePrefix(&key, prefix) || keys.contains(key)) continue;
    return absl::DataLossError(absl::StrCat(Brief(name), ": a storage that data.pkl does not mention"));
  }
  return absl::OkStatus();
}

// TorchScript compresses its code, which is not read.
absl::Status CheckIsStored(const std::vector<ZipRecord>& records) {
  const bool is_script = HasScript(records);
  for (const ZipRecord& record : records) {
    const bool is_code = is_script && absl::StrContains(absl::StrCat("/", record.name), "/code/");
    if (!record.deflated || is_code) continue;
    return absl::UnimplementedError(
        absl::StrCat("\"", Brief(record.name),
                     "\": a compressed record: torch.save compresses nothing; unpack the archive and save anew"));
  }
  return absl::OkStatus();
}

absl::Status CheckKind(const Archive& archive, const std::vector<ZipRecord>& records) {
  if (const std::string foreign = ForeignArchive(records); !foreign.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("not a checkpoint: ", foreign));
  }
  RETURN_IF_ERROR(CheckIsStored(records));
  if (archive.pickles().size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a zip archive of several checkpoints: ", Brief(archive.pickles()[0]), " and ", Brief(archive.pickles()[1])));
  }
  const ZipRecord* byte_order = archive.Find("byteorder");
  if (byte_order != nullptr && byte_order->bytes != "little") {
    return absl::UnimplementedError(absl::StrCat("byte order \"", Brief(byte_order->bytes, 20), "\" is not supported"));
  }
  return absl::OkStatus();
}

absl::StatusOr<pickle::Pickle> ReadDataPickle(const Archive& archive, Budget& budget) {
  const ZipRecord& record = *archive.Find("data.pkl");
  if (archive.StatesCrc32()) RETURN_IF_ERROR(CheckCrc32(record, record.bytes));
  return pickle::ReadPickle(record.bytes, budget);
}

// The keys of all storages that a pickle refers to, those of unsupported classes included.
absl::flat_hash_set<absl::string_view> StorageKeys(const pickle::Pickle& pickle) {
  absl::flat_hash_set<absl::string_view> keys;
  for (const pickle::PersistentId* id : pickle.persistent_ids) {
    if (const absl::optional<absl::string_view> key = StorageKey(*id)) keys.insert(*key);
  }
  return keys;
}

// Finds storages by key and adds each to the contents when it is first needed.
class ZipStorages {
 public:
  ZipStorages(const Archive& archive, Budget& budget, CheckpointContents* contents)
      : archive_(archive), budget_(budget), contents_(*contents) {}

  absl::StatusOr<int> Find(const TorchStorage& storage);

 private:
  const Archive& archive_;
  Budget& budget_;
  CheckpointContents& contents_;
  absl::flat_hash_map<absl::string_view, int> indices_;
};

absl::StatusOr<int> ZipStorages::Find(const TorchStorage& storage) {
  const std::string path = absl::StrCat("data/", storage.key);
  const ZipRecord* record = archive_.Find(path);
  if (record == nullptr) return absl::DataLossError(absl::StrCat("the archive has no ", Printable(path)));
  const int64_t byte_size = storage.type->byte_size;
  const int64_t has = static_cast<int64_t>(record->bytes.size());
  if (has % byte_size != 0 || has / byte_size != storage.elements) {
    return absl::DataLossError(absl::StrCat(Brief(record->name), ": wants ", storage.elements, " elements of ",
                                            byte_size, " bytes, has ", has, " bytes"));
  }
  const auto [index, added] = indices_.try_emplace(record->name, static_cast<int>(contents_.storages.size()));
  if (added) {
    RETURN_IF_ERROR(budget_.Spend(kStorageCost));
    contents_.storages.push_back({record->name, record->bytes, absl::nullopt});
    if (archive_.StatesCrc32()) contents_.storages.back().crc32 = record->crc32;
  }
  return index->second;
}

}  // namespace

absl::StatusOr<CheckpointContents> ReadTorchZip(absl::string_view file) {
  Budget budget(file.size());
  // Archives of other programs, which compress, are told by their names.
  ASSIGN_OR_RETURN(const std::vector<ZipRecord> records, ReadZipDirectory(file, ZipMethods::kStoredAndDeflated));
  RETURN_IF_ERROR(budget.Spend(records.size() * kRecordCost));
  const Archive archive(records);
  RETURN_IF_ERROR(CheckKind(archive, records));
  const absl::StatusOr<pickle::Pickle> pickle = ReadDataPickle(archive, budget);
  if (!pickle.ok()) return Annotate(pickle.status(), "data.pkl");
  CheckpointContents contents;
  contents.format = HasScript(records) ? "TorchScript" : "torch.save (zip)";
  ZipStorages storages(archive, budget, &contents);
  RETURN_IF_ERROR(CollectStateDicts(
      *pickle->root, [&](const TorchStorage& storage) { return storages.Find(storage); }, budget, &contents));
  RETURN_IF_ERROR(archive.CheckStoragesAreIn(StorageKeys(*pickle)));
  return contents;
}

}  // namespace modelport
