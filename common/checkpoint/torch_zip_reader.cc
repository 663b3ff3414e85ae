#include "common/checkpoint/torch_zip_reader.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/pickle/machine.h"
#include "common/checkpoint/record_content.h"
#include "common/checkpoint/state_dict_collector.h"
#include "common/checkpoint/torch_storage.h"
#include "common/checkpoint/zip_directory.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// The records of an archive by their path below its top folder, which bears the file's first name.
class Archive {
 public:
  explicit Archive(const std::vector<ZipRecord>& records);

  // Null if there is none.
  const ZipRecord* Find(absl::string_view path) const;
  bool HasFolder(absl::string_view path) const;

 private:
  std::string folder_;  // With a slash; empty for an archive without a pickle.
  absl::flat_hash_map<absl::string_view, const ZipRecord*> records_;
};

Archive::Archive(const std::vector<ZipRecord>& records) {
  for (const ZipRecord& record : records) {
    records_[record.name] = &record;
    absl::string_view folder = record.name;
    if (folder_.empty() && absl::ConsumeSuffix(&folder, "/data.pkl")) folder_ = absl::StrCat(folder, "/");
  }
}

const ZipRecord* Archive::Find(absl::string_view path) const {
  const auto found = records_.find(absl::StrCat(folder_, path));
  return found == records_.end() ? nullptr : found->second;
}

bool Archive::HasFolder(absl::string_view path) const {
  const std::string prefix = absl::StrCat(folder_, path, "/");
  for (const auto& [name, record] : records_) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  return false;
}

absl::Status CheckKind(const Archive& archive) {
  if (archive.Find("constants.pkl") != nullptr || archive.HasFolder("code")) {
    return absl::InvalidArgumentError(
        "a TorchScript artifact, not a checkpoint\n  save the weights as torch.save(model.state_dict(), path)");
  }
  if (archive.Find("data.pkl") == nullptr) {
    return absl::InvalidArgumentError("a zip archive that torch.save did not write: it has no data.pkl");
  }
  const ZipRecord* byte_order = archive.Find("byteorder");
  if (byte_order != nullptr && byte_order->bytes != "little") {
    return absl::UnimplementedError(
        absl::StrCat("byte order \"", absl::CHexEscape(byte_order->bytes.substr(0, 20)), "\" is not supported"));
  }
  return absl::OkStatus();
}

absl::StatusOr<pickle::Pickle> ReadDataPickle(const ZipRecord& record) {
  RETURN_IF_ERROR(CheckCrc32(record, record.bytes));
  return pickle::ReadPickle(record.bytes);
}

// Finds storages by key and adds each to the contents when it is first needed.
class ZipStorages {
 public:
  ZipStorages(const Archive& archive, CheckpointContents* contents) : archive_(archive), contents_(*contents) {}

  absl::StatusOr<int> Find(const TorchStorage& storage);

 private:
  const Archive& archive_;
  CheckpointContents& contents_;
  absl::flat_hash_map<absl::string_view, int> indices_;
};

absl::StatusOr<int> ZipStorages::Find(const TorchStorage& storage) {
  const std::string path = absl::StrCat("data/", storage.key);
  const ZipRecord* record = archive_.Find(path);
  if (record == nullptr) return absl::DataLossError(absl::StrCat("the archive has no ", absl::CHexEscape(path)));
  const int64_t byte_size = storage.type->byte_size;
  const int64_t has = static_cast<int64_t>(record->bytes.size());
  if (has % byte_size != 0 || has / byte_size != storage.elements) {
    return absl::DataLossError(absl::StrCat(record->name, ": wants ", storage.elements, " elements of ", byte_size,
                                            " bytes, has ", has, " bytes"));
  }
  const auto [place, added] = indices_.try_emplace(record->name, static_cast<int>(contents_.storages.size()));
  if (added) contents_.storages.push_back({std::string(record->name), record->bytes, record->crc32});
  return place->second;
}

}  // namespace

absl::StatusOr<CheckpointContents> ReadTorchZip(absl::string_view file) {
  ASSIGN_OR_RETURN(const std::vector<ZipRecord> records, ReadZipDirectory(file));
  const Archive archive(records);
  RETURN_IF_ERROR(CheckKind(archive));
  const absl::StatusOr<pickle::Pickle> pickle = ReadDataPickle(*archive.Find("data.pkl"));
  if (!pickle.ok()) return Annotate(pickle.status(), "data.pkl");
  CheckpointContents contents;
  contents.format = "torch.save (zip)";
  contents.bytes = file;
  ZipStorages storages(archive, &contents);
  RETURN_IF_ERROR(CollectStateDicts(
      *pickle->root, [&](const TorchStorage& storage) { return storages.Find(storage); }, &contents));
  return contents;
}

}  // namespace modelport
