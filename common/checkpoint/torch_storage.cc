#include "common/checkpoint/torch_storage.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/pickle/python_objects.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

constexpr StorageType kStorageTypes[] = {
    {"DoubleStorage", "float64", 8, DType::kFloat64},
    {"FloatStorage", "float32", 4, DType::kFloat32},
    {"HalfStorage", "float16", 2, DType::kFloat16},
    {"BFloat16Storage", "bfloat16", 2, DType::kBFloat16},
    {"LongStorage", "int64", 8, DType::kInt64},
    {"IntStorage", "int32", 4, DType::kInt32},
    {"ShortStorage", "int16", 2, DType::kInt16},
    {"CharStorage", "int8", 1, DType::kInt8},
    {"ByteStorage", "uint8", 1, DType::kUInt8},
    {"BoolStorage", "bool", 1, DType::kBool},
    {"UntypedStorage", "uint8", 1, DType::kUInt8},
    {"ComplexDoubleStorage", "complex128", 16, absl::nullopt},
    {"ComplexFloatStorage", "complex64", 8, absl::nullopt},
    {"QInt8Storage", "qint8", 1, absl::nullopt},
    {"QUInt8Storage", "quint8", 1, absl::nullopt},
    {"QInt32Storage", "qint32", 4, absl::nullopt},
};

// Keys are short numbers. A pickle can share one long key among many tensors.
constexpr size_t kMaxKeySize = 100;

// The class is in torch, torch.cuda or torch.storage, by version and device.
absl::StatusOr<const StorageType*> ParseType(const pickle::Value& value) {
  const pickle::Global* global = value.As<pickle::Global>();
  if (global != nullptr && (global->module == "torch" || absl::StartsWith(global->module, "torch."))) {
    for (const StorageType& type : kStorageTypes) {
      if (type.class_name == global->name) return &type;
    }
  }
  return absl::UnimplementedError(absl::StrCat("storage class ", pickle::Describe(value), " is not supported"));
}

// Reads (key, offset, elements), or None for the whole storage, and returns the offset.
absl::StatusOr<int64_t> ParseView(const pickle::Value& value, int64_t elements) {
  if (value.As<pickle::None>() != nullptr) return 0;
  const auto* items = pickle::SequenceItems(value);
  const auto* offset = items != nullptr && items->size() == 3 ? (*items)[1]->As<int64_t>() : nullptr;
  if (offset != nullptr && *offset >= 0 && *offset <= elements) return *offset;
  return absl::DataLossError(absl::StrCat("storage view: wants a key, an offset up to ", elements, " and a size"));
}

}  // namespace

bool IsStorage(const pickle::PersistentId& id) {
  const auto* items = pickle::SequenceItems(*id.id);
  const auto* kind = items != nullptr && !items->empty() ? items->front()->As<pickle::String>() : nullptr;
  return kind != nullptr && kind->text == "storage";
}

absl::optional<absl::string_view> StorageKey(const pickle::PersistentId& id) {
  if (!IsStorage(id)) return absl::nullopt;
  const std::vector<const pickle::Value*>& items = *pickle::SequenceItems(*id.id);
  const auto* key = items.size() > 2 ? items[2]->As<pickle::String>() : nullptr;
  return key != nullptr ? absl::make_optional(key->text) : absl::nullopt;
}

absl::StatusOr<TorchStorage> ParseStorage(const pickle::PersistentId& id) {
  const absl::Status malformed = absl::DataLossError("storage: wants a class, key, location and size");
  const absl::optional<absl::string_view> key = StorageKey(id);
  if (!key || key->size() > kMaxKeySize) return malformed;
  const std::vector<const pickle::Value*>& items = *pickle::SequenceItems(*id.id);
  const auto* elements = items.size() > 4 ? items[4]->As<int64_t>() : nullptr;
  if (elements == nullptr || *elements < 0) return malformed;
  TorchStorage storage{nullptr, *key, *elements};
  ASSIGN_OR_RETURN(storage.type, ParseType(*items[1]));
  if (items.size() == 5) return storage;
  ASSIGN_OR_RETURN(storage.view_offset, ParseView(*items[5], *elements));
  return storage;
}

}  // namespace modelport
