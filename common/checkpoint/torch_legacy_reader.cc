#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/pickle/budget.h"
#include "common/checkpoint/pickle/machine.h"
#include "common/checkpoint/pickle/python_objects.h"
#include "common/checkpoint/readers.h"
#include "common/checkpoint/state_dict_collector.h"
#include "common/checkpoint/torch_tensor.h"
#include "common/io/byte_reader.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

// 0x1950a86a20f9469cfc6c, as LONG1 stores it.
constexpr absl::string_view kMagicNumber = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr int64_t kProtocolVersion = 1001;

// The memory of a storage and of its entry in a map, in containers that grow by doubling.
constexpr size_t kStorageCost = 2 * sizeof(Storage) + 12 * sizeof(void*);

// A storage that was read.
struct StorageEntry {
  int index;  // In CheckpointContents::storages.
  const StorageType* type;
  int64_t elements;
};

class LegacyReader {
 public:
  explicit LegacyReader(absl::string_view file) : file_(file), budget_(file.size()) {}

  absl::StatusOr<CheckpointContents> Read();

 private:
  absl::StatusOr<pickle::Pickle> ReadNext(absl::string_view name);
  absl::Status ReadPreamble();
  absl::StatusOr<CheckpointContents> ReadPlain(const pickle::Pickle& object);
  absl::Status ReadStorages(const pickle::Pickle& object);
  absl::Status ReadStorage(const TorchStorage& storage, ByteReader& reader);
  absl::StatusOr<int> FindStorage(const TorchStorage& storage);

  absl::string_view file_;
  Budget budget_;
  size_t position_ = 0;
  CheckpointContents contents_;
  absl::flat_hash_map<absl::string_view, StorageEntry> storages_;
};

absl::StatusOr<pickle::Pickle> LegacyReader::ReadNext(absl::string_view name) {
  absl::StatusOr<pickle::Pickle> pickle = pickle::ReadPickle(file_.substr(position_), budget_);
  if (!pickle.ok()) return Annotate(pickle.status(), absl::StrCat(name, " from byte ", position_));
  position_ += pickle->size;
  return pickle;
}

bool IsTrue(const pickle::Value& value) {
  const bool* flag = value.As<bool>();
  return flag != nullptr && *flag;
}

absl::Status CheckSystem(const pickle::Value& system) {
  absl::optional<bool> little_endian;
  RETURN_IF_ERROR(pickle::ForEachEntry(system, [&](const pickle::Value& key, const pickle::Value& value) {
    const auto* name = key.As<pickle::String>();
    if (name != nullptr && name->text == "little_endian") little_endian = IsTrue(value);
    return absl::OkStatus();
  }));
  if (!little_endian) return absl::DataLossError("the facts about the system do not tell the byte order");
  return *little_endian ? absl::OkStatus() : absl::UnimplementedError("big-endian data is not supported");
}

bool IsMagicNumber(const pickle::Value& value) {
  const auto* number = value.As<pickle::LongInt>();
  return number != nullptr && number->bytes == kMagicNumber;
}

// A pickle of NumPy arrays, as detectron2's published models are.
absl::StatusOr<CheckpointContents> LegacyReader::ReadPlain(const pickle::Pickle& object) {
  const auto find = [](const TorchStorage&) -> absl::StatusOr<int> {
    return absl::DataLossError("a tensor of torch.save, whose numbers this file does not hold");
  };
  const absl::Status read = CollectStateDicts(*object.root, find, budget_, &contents_);
  if (absl::IsInvalidArgument(read)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a Python pickle that torch.save did not write; it ", read.message()));
  }
  RETURN_IF_ERROR(read);
  if (position_ < file_.size()) {
    return absl::DataLossError(absl::StrCat(file_.size() - position_, " bytes follow the pickle"));
  }
  contents_.format = "pickle";
  return std::move(contents_);
}

absl::Status LegacyReader::ReadPreamble() {
  ASSIGN_OR_RETURN(const pickle::Pickle version, ReadNext("protocol version"));
  const int64_t* protocol = version.root->As<int64_t>();
  if (protocol == nullptr || *protocol != kProtocolVersion) {
    return absl::UnimplementedError("a torch.save protocol version other than 1001");
  }
  ASSIGN_OR_RETURN(const pickle::Pickle system, ReadNext("system"));
  return CheckSystem(*system.root);
}

absl::Status LegacyReader::ReadStorage(const TorchStorage& storage, ByteReader& reader) {
  const absl::optional<int64_t> count = reader.ReadNumber<int64_t>();
  if (count && *count != storage.elements) {
    return absl::DataLossError(absl::StrCat("wants ", storage.elements, " elements, has ", *count));
  }
  int64_t size;
  const bool fits = !__builtin_mul_overflow(storage.elements, storage.type->byte_size, &size);
  const absl::optional<absl::string_view> bytes = count && fits ? reader.ReadBytes(size) : absl::nullopt;
  if (!bytes) {
    return absl::DataLossError(absl::StrCat("truncated: wants ", storage.elements, " elements of ",
                                            storage.type->byte_size, " bytes, the file has ", reader.remaining(),
                                            " bytes\n  download or copy it again"));
  }
  const StorageEntry entry{static_cast<int>(contents_.storages.size()), storage.type, storage.elements};
  if (!storages_.emplace(storage.key, entry).second) return absl::DataLossError("the file has it twice");
  RETURN_IF_ERROR(budget_.Spend(kStorageCost));
  contents_.storages.push_back({storage.key, *bytes, absl::nullopt});
  return absl::OkStatus();
}

// The file states no sizes of storages. They follow from the types that the object's references name.
absl::Status LegacyReader::ReadStorages(const pickle::Pickle& object) {
  absl::flat_hash_map<absl::string_view, TorchStorage> known;
  for (const pickle::PersistentId* id : object.persistent_ids) {
    if (!IsStorage(*id)) continue;
    ASSIGN_OR_RETURN(const TorchStorage storage, ParseStorage(*id));
    RETURN_IF_ERROR(budget_.Spend(kStorageCost));
    known.try_emplace(storage.key, storage);
  }
  ASSIGN_OR_RETURN(const pickle::Pickle keys, ReadNext("storage keys"));
  const std::vector<const pickle::Value*>* items = pickle::SequenceItems(*keys.root);
  if (items == nullptr) return absl::DataLossError("the storage keys are no list");
  ByteReader reader(file_, position_);
  for (const pickle::Value* item : *items) {
    const auto* key = item->As<pickle::String>();
    const auto storage = key != nullptr ? known.find(key->text) : known.end();
    if (storage == known.end()) return absl::DataLossError("a storage key that no tensor uses");
    const absl::Status read = ReadStorage(storage->second, reader);
    if (!read.ok()) return Annotate(read, absl::StrCat("storage ", Printable(key->text)));
  }
  if (reader.remaining() == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(reader.remaining(),
                                          " bytes follow the last storage, perhaps of a second "
                                          "checkpoint\n  save one checkpoint a file"));
}

absl::StatusOr<int> LegacyReader::FindStorage(const TorchStorage& storage) {
  const auto found = storages_.find(storage.key);
  if (found == storages_.end()) {
    return absl::DataLossError(absl::StrCat("storage ", Printable(storage.key), " is not in the file"));
  }
  if (found->second.type != storage.type || found->second.elements != storage.elements) {
    return absl::DataLossError(absl::StrCat("storage ", Printable(storage.key), " has two types or sizes"));
  }
  return found->second.index;
}

absl::StatusOr<CheckpointContents> LegacyReader::Read() {
  ASSIGN_OR_RETURN(const pickle::Pickle first, ReadNext("magic number"));
  if (!IsMagicNumber(*first.root)) return ReadPlain(first);
  RETURN_IF_ERROR(ReadPreamble());
  contents_.format = "torch.save (legacy)";
  ASSIGN_OR_RETURN(const pickle::Pickle object, ReadNext("object"));
  RETURN_IF_ERROR(ReadStorages(object));
  RETURN_IF_ERROR(CollectStateDicts(
      *object.root, [this](const TorchStorage& storage) { return FindStorage(storage); }, budget_, &contents_));
  return std::move(contents_);
}

}  // namespace

absl::StatusOr<CheckpointContents> ReadTorchLegacy(absl::string_view file) { return LegacyReader(file).Read(); }

}  // namespace modelport
