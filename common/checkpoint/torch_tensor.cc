#include "common/checkpoint/torch_tensor.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/pickle/python_objects.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

using pickle::Value;

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
    {"ComplexDoubleStorage", "complex128", 16, DType::kComplex128},
    {"ComplexFloatStorage", "complex64", 8, DType::kComplex64},
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
  return absl::UnimplementedError(absl::StrCat("a tensor of the unknown storage class ", pickle::Describe(value)));
}

// Reads (key, offset, elements), or None for the whole storage, and returns the offset.
absl::StatusOr<int64_t> ParseView(const pickle::Value& value, int64_t elements) {
  if (value.As<pickle::None>() != nullptr) return 0;
  const auto* items = pickle::SequenceItems(value);
  const auto* offset = items != nullptr && items->size() == 3 ? (*items)[1]->As<int64_t>() : nullptr;
  if (offset != nullptr && *offset >= 0 && *offset <= elements) return *offset;
  return absl::DataLossError(absl::StrCat("storage view: wants a key, an offset up to ", elements, " and a size"));
}

// PyTorch's own limit. Pickled shapes can be shared, so that a long one costs memory for each tensor that has it.
constexpr size_t kMaxRank = 64;

// The arguments that all versions of the call share: (storage, offset, size, stride, ...).
constexpr size_t kTensorArguments = 4;

// A Parameter of a subclass has two. A pickle can share one long chain of wrappers among many tensors.
constexpr int kMaxWrappers = 8;

absl::optional<TensorCall> CallOf(const Value& value) {
  const pickle::Object* object = value.As<pickle::Object>();
  const pickle::Global* function = object != nullptr ? object->callable->As<pickle::Global>() : nullptr;
  if (function == nullptr) return absl::nullopt;
  return TensorCall{function, object->args->As<pickle::Tuple>()};
}

bool IsParameter(const pickle::Global& function) {
  return absl::StartsWith(function.name, "_rebuild_parameter") ||
         (function.module == "torch.nn.parameter" && function.name == "Parameter");
}

bool MakesTensor(const pickle::Global& function) {
  const bool torch_module =
      function.module == "torch._utils" || function.module == "torch._tensor" || function.module == "torch.tensor";
  return (torch_module && absl::StartsWith(function.name, "_rebuild_")) || IsParameter(function);
}

// What a wrapping call wraps.
struct Wrapped {
  TensorCall call;
  const Value* tensor;  // The result of `call`; null if the wrapping call itself would make it.
  size_t arguments;     // How many of the wrapping call's first arguments are used up by that.
};

// The value of `key`, the last one, in a dictionary or in those of a tuple or list; null if there is none, or if they
// have more entries than a DTensor's: a pickle can share a long dictionary among many tensors.
const Value* FindEntry(const Value& value, absl::string_view key) {
  constexpr size_t kMaxEntries = 64;
  const std::vector<const Value*> alone = {&value};
  const auto* items = pickle::SequenceItems(value);
  if (items == nullptr) items = &alone;
  const Value* found = nullptr;
  for (size_t i = 0; i < std::min(items->size(), kMaxEntries); ++i) {
    const auto* const dict = (*items)[i]->As<pickle::Dict>();
    if (dict == nullptr || dict->entries.size() > kMaxEntries) continue;
    for (const auto& [name, entry] : dict->entries) {
      const auto* const text = name->As<pickle::String>();
      if (text != nullptr && text->text == key) found = entry;
    }
  }
  return found;
}

// Whether a DTensor of this `_spec` has no part elsewhere where its own part has the size of the whole: the processes'
// parts would have to be added if one were Partial.
bool IsPlacedWhole(const Value& spec) {
  const auto* const object = spec.As<pickle::Object>();
  const Value* const placements =
      object == nullptr || object->given == nullptr ? nullptr : FindEntry(*object->given, "placements");
  const auto* const items = placements == nullptr ? nullptr : pickle::SequenceItems(*placements);
  return items != nullptr && items->size() <= kMaxRank &&
         std::all_of(items->begin(), items->end(), [](const Value* item) {
           const absl::optional<TensorCall> placement = CallOf(*item);
           return placement && (placement->function->name == "Replicate" || placement->function->name == "Shard");
         });
}

// The tensor that a process has of a DTensor, made with `args` of _rebuild_wrapper_subclass and `state`, where it is
// the whole, as in a file of one process or of a tensor that all have; null if it is a part.
const Value* WholeOfShard(const std::vector<const Value*>& args, const Value& state) {
  const auto* const type = args.empty() ? nullptr : args[0]->As<pickle::Global>();
  const Value* const own = FindEntry(state, "_local_tensor");
  const Value* const spec = FindEntry(state, "_spec");
  if (type == nullptr || !IsShardClass(type->name) || args.size() < 3 || own == nullptr || spec == nullptr) {
    return nullptr;
  }
  const absl::optional<TensorCall> call = CallOf(*own);
  if (!call || call->function->name != "_rebuild_tensor_v2" || call->args->items.size() < kTensorArguments) {
    return nullptr;
  }
  const absl::optional<Shape> whole = pickle::Ints(*args[2], kMaxRank);
  return whole && pickle::Ints(*call->args->items[2], kMaxRank) == whole && IsPlacedWhole(*spec) ? own : nullptr;
}

// nullopt if `call` wraps nothing.
absl::optional<Wrapped> Unwrap(const TensorCall& call) {
  const std::vector<const Value*>& args = call.args->items;
  if (IsParameter(*call.function)) {
    const absl::optional<TensorCall> inner = args.empty() ? absl::nullopt : CallOf(*args[0]);
    return inner ? absl::make_optional(Wrapped{*inner, args[0], 1}) : absl::nullopt;
  }
  if (!absl::StartsWith(call.function->name, "_rebuild_from_type") || args.size() < 3) return absl::nullopt;
  const pickle::Global* function = args[0]->As<pickle::Global>();
  const pickle::Tuple* inner = args[2]->As<pickle::Tuple>();
  if (function == nullptr || inner == nullptr) return absl::nullopt;
  if (function->name == "_rebuild_wrapper_subclass" && args.size() > 3) {
    // Its state has nothing else but how the processes shared it.
    if (const Value* const whole = WholeOfShard(inner->items, *args[3]))
      return Wrapped{*CallOf(*whole), whole, args.size()};
  }
  return Wrapped{{function, inner}, nullptr, 3};
}

// Whether a storage is among the bytes of the pickle itself, as Python's pickle alone writes it.
bool IsWithinPickle(const Value& storage) {
  const absl::optional<TensorCall> call = CallOf(storage);
  return call && call->function->module == "torch.storage" && call->function->name == "_load_from_bytes";
}

absl::StatusOr<TorchTensor> ParseArguments(const std::vector<const Value*>& args) {
  const absl::Status malformed = absl::DataLossError("tensor: wants a storage, offset, size and stride");
  if (args.size() < kTensorArguments) return malformed;
  if (IsWithinPickle(*args[0])) {
    return absl::UnimplementedError("a tensor within a pickle, as pickle.dump writes it and torch.save does not");
  }
  const pickle::PersistentId* storage = args[0]->As<pickle::PersistentId>();
  const int64_t* offset = args[1]->As<int64_t>();
  absl::optional<Shape> shape = pickle::Ints(*args[2], kMaxRank);
  absl::optional<std::vector<int64_t>> strides = pickle::Ints(*args[3], kMaxRank);
  if (storage == nullptr || offset == nullptr || !shape || !strides) return malformed;
  ASSIGN_OR_RETURN(const TorchStorage parsed, ParseStorage(*storage));
  int64_t start;
  if (__builtin_add_overflow(parsed.view_offset, *offset, &start)) return malformed;
  return TorchTensor{parsed, DType::kUInt8, start, *std::move(shape), *std::move(strides)};
}

absl::StatusOr<DType> DTypeOf(const StorageType& type) {
  if (type.dtype) return *type.dtype;
  return absl::UnimplementedError(absl::StrCat("a tensor of dtype ", type.dtype_name));
}

absl::StatusOr<DType> DTypeOf(const Value& value) {
  const pickle::Global* global = value.As<pickle::Global>();
  if (global == nullptr || global->module != "torch") return absl::DataLossError("tensor: wants a dtype");
  if (const absl::optional<DType> dtype = ParseDType(global->name)) return *dtype;
  return absl::UnimplementedError(absl::StrCat("a tensor of dtype ", pickle::Describe(value)));
}

// What the tensor is that a call of `function`, other than those for plain tensors, would make.
std::string KindOf(const pickle::Global& function) {
  constexpr std::pair<absl::string_view, absl::string_view> kKinds[] = {
      {"_rebuild_sparse_tensor", "a sparse tensor"},
      {"_rebuild_sparse_csr_tensor", "a sparse tensor"},
      {"_rebuild_nested_tensor", "a nested tensor"},
      {"_rebuild_qtensor", "a quantised tensor"},
      {"_rebuild_meta_tensor_no_storage", "a meta tensor, which has no elements"},
  };
  for (const auto& [name, kind] : kKinds) {
    if (function.name == name) return std::string(kind);
  }
  return absl::StrCat("a tensor made by ", pickle::Describe(Value{function}));
}

// Metadata marks tensors whose values are negated or conjugated when read. torch.save leaves it out where it is empty.
bool HasMetadata(const std::vector<const Value*>& args, size_t index) {
  if (args.size() <= index) return false;
  if (args[index]->As<pickle::None>() != nullptr) return false;
  if (const auto* const items = pickle::SequenceItems(*args[index])) return !items->empty();
  const pickle::Dict* metadata = args[index]->As<pickle::Dict>();
  return metadata == nullptr || !metadata->entries.empty();
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

absl::optional<TensorCall> AsTensor(const Value& value) {
  absl::optional<TensorCall> call = CallOf(value);
  if (!call || !MakesTensor(*call->function)) return absl::nullopt;
  for (int i = 0; i < kMaxWrappers; ++i) {
    const absl::optional<Wrapped> wrapped = Unwrap(*call);
    if (!wrapped) break;
    call = wrapped->call;
  }
  return call;
}

std::vector<const Value*> Attachments(const Value& tensor) {
  std::vector<const Value*> attachments;
  const auto add = [&attachments](const Value* value) {
    if (value != nullptr && !pickle::IsBare(*value)) attachments.push_back(value);
  };
  const Value* result = &tensor;
  absl::optional<TensorCall> call = CallOf(tensor);
  for (int i = 0; i <= kMaxWrappers && call; ++i) {
    if (result != nullptr) {
      const pickle::Object& object = *result->As<pickle::Object>();
      add(object.given);
      for (const auto& [key, value] : object.entries) add(key), add(value);
    }
    const absl::optional<Wrapped> wrapped = Unwrap(*call);
    const std::vector<const Value*>& args = call->args->items;
    for (size_t k = wrapped ? wrapped->arguments : kTensorArguments; k < args.size(); ++k) add(args[k]);
    result = wrapped ? wrapped->tensor : nullptr;
    call = wrapped ? absl::make_optional(wrapped->call) : absl::nullopt;
  }
  return attachments;
}

absl::StatusOr<TorchTensor> ParseTensor(const TensorCall& call) {
  const absl::string_view name = call.function->name;
  const std::vector<const Value*>& args = call.args->items;
  const bool typed = name == "_rebuild_tensor_v3";
  if (name == "_rebuild_wrapper_subclass" && !args.empty()) {
    const pickle::Global* const type = args[0]->As<pickle::Global>();
    if (type != nullptr && IsShardClass(type->name)) {
      return HoldsShards(absl::StrCat("a tensor of class ", Brief(absl::StrCat(type->module, ".", type->name))));
    }
  }
  if (!MakesTensor(*call.function) || (name != "_rebuild_tensor" && name != "_rebuild_tensor_v2" && !typed)) {
    return absl::UnimplementedError(KindOf(*call.function));
  }
  ASSIGN_OR_RETURN(TorchTensor tensor, ParseArguments(args));
  if (typed && args.size() < 7) return absl::DataLossError("tensor: wants a dtype");
  ASSIGN_OR_RETURN(tensor.dtype, typed ? DTypeOf(*args[6]) : DTypeOf(*tensor.storage.type));
  if (HasMetadata(args, typed ? 7 : 6)) {
    return absl::UnimplementedError("a tensor that is negated or conjugated when read");
  }
  return tensor;
}

bool IsShardClass(absl::string_view name) {
  const absl::string_view last = name.substr(name.rfind('.') + 1);
  return last == "DTensor" || last == "ShardedTensor";
}

bool IsFlatParameter(absl::string_view key) {
  absl::string_view last = key.substr(key.rfind('.') + 1);
  absl::ConsumePrefix(&last, "_");
  // Older releases number them.
  return absl::ConsumePrefix(&last, "flat_param") &&
         (last.empty() ||
          (absl::ConsumePrefix(&last, "_") && std::all_of(last.begin(), last.end(), absl::ascii_isdigit)));
}

absl::Status HoldsShards(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("holds ", what, ": the part of one process, as FSDP saves it, not the whole\n  save the whole: ",
                   "get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True)) of ",
                   "torch.distributed.checkpoint.state_dict, and torch.save of that"));
}

}  // namespace modelport
