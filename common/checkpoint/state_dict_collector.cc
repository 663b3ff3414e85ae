#include "common/checkpoint/state_dict_collector.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/checkpoint/numpy_array.h"
#include "common/checkpoint/pickle/python_objects.h"
#include "common/checkpoint/pickled_module.h"
#include "common/checkpoint/torch_tensor.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/text/dotted_path.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/text/units.h"

namespace modelport {
namespace {

using pickle::Value;

// The memory that noting a visited value takes, and that of a path or name besides its characters.
constexpr size_t kSeenCost = 4 * sizeof(void*);
constexpr size_t kNameCost = 3 * sizeof(std::string);

// The memory of an array's storage, and of its entry in a map, in containers that grow by doubling.
constexpr size_t kArrayCost = 2 * sizeof(Storage) + 8 * sizeof(void*);

std::string KeyName(const Value& key, size_t index) {
  if (const auto* text = key.As<pickle::String>()) return Printable(text->text);
  if (const auto* number = key.As<int64_t>()) return absl::StrCat(*number);
  if (const auto* flag = key.As<bool>()) return *flag ? "True" : "False";
  return absl::StrCat("<", pickle::Describe(key), ", key ", index, ">");
}

bool IsContainer(const Value& value) { return pickle::IsDict(value) || pickle::SequenceItems(value) != nullptr; }

// The values that `value` refers to.
std::vector<const Value*> Children(const Value& value) {
  std::vector<const Value*> children;
  const auto add_entries = [&children](const std::vector<pickle::Entry>& entries) {
    for (const auto& [key, entry] : entries) children.insert(children.end(), {key, entry});
  };
  if (const auto* items = pickle::SequenceItems(value)) children = *items;
  if (const auto* dict = value.As<pickle::Dict>()) add_entries(dict->entries);
  if (const auto* id = value.As<pickle::PersistentId>()) children.push_back(id->id);
  if (const auto* object = value.As<pickle::Object>()) {
    children = {object->callable, object->args};
    add_entries(object->entries);
    if (object->given != nullptr) children.push_back(object->given);
  }
  return children;
}

// A value to visit and the path to it.
struct Visit {
  std::string path;
  const Value* value;
};

// Visits dictionaries, lists and tuples before objects: a dictionary that an object shares is found as a dictionary.
class Collector {
 public:
  Collector(StorageFinder find_storage, Budget& budget, CheckpointContents* contents)
      : find_storage_(find_storage), budget_(budget), contents_(*contents) {}

  absl::Status Collect(const Value& root);

 private:
  absl::Status VisitDict(const Visit& visit);
  absl::Status VisitSequence(const Visit& visit);
  absl::Status VisitModule(const Visit& visit);
  // `value` as a module, read once however often the file refers to it; null if it is none.
  PickledModule* ModuleOf(const Value& value);
  // Adds the tensors of a module's dictionary `tensors`, less those of `computed`, with `prefix` before their names.
  absl::Status AddTensors(const std::string& prefix, const Value& tensors,
                          const absl::flat_hash_set<absl::string_view>& computed, StateDict* dict);
  absl::Status VisitEntry(const std::string& path, const std::string& name, const Value& value, StateDict* dict);
  absl::Status AddTensor(const std::string& name, absl::StatusOr<CheckpointTensor> tensor, StateDict* dict);
  // Adds the tensor `value`, made by `call`, and what is attached to it; or counts it among the loose ones if it is of
  // a kind that is not read.
  absl::Status AddTorchTensor(const std::string& name, const Value& value, const TensorCall& call, StateDict* dict);
  // `path` is that of the dictionary or list, `name` that of `value` in it. They are joined only where necessary: paths
  // may be long and values many.
  absl::Status AddPending(const std::string& path, const std::string& name, const Value& value);
  absl::Status AddRest(const std::string& path, const std::string& name, const Value& value);
  absl::Status NameEveryPath();

  absl::Status CollectLoose(const Visit& visit);
  // Counts `value` if it is a tensor or storage, and adds the values to visit next to `pending`.
  absl::Status VisitLoose(const Value& value, LooseTensors* loose, std::vector<const Value*>* pending);
  absl::Status CountStorage(const pickle::PersistentId& id, LooseTensors* loose);

  absl::StatusOr<CheckpointTensor> MakeTensor(const std::string& key, absl::StatusOr<TorchTensor> parsed);
  absl::StatusOr<CheckpointTensor> MakeTensor(const std::string& key, const NumpyArray& array);
  // The index in contents_.storages of the bytes of an array.
  absl::StatusOr<int> FindBytes(const Value& bytes);
  absl::Status CheckOneDType(const CheckpointTensor& tensor);
  // Marks `value` as visited; true if it was not before.
  absl::StatusOr<bool> See(const Value& value);

  StorageFinder find_storage_;
  Budget& budget_;
  CheckpointContents& contents_;
  std::vector<Visit> pending_;    // A stack instead of recursion: a file may nest dictionaries without limit.
  std::vector<Visit> sequences_;  // Lists and tuples that hold other values than containers.
  std::vector<Visit> rest_;       // Values that are neither tensor nor container, such as objects.
  absl::flat_hash_set<const Value*> seen_;
  absl::flat_hash_map<const Value*, std::unique_ptr<PickledModule>> modules_;
  absl::flat_hash_map<const Value*, int> array_storages_;             // Of the bytes of arrays, in contents_.storages.
  absl::flat_hash_map<const Value*, std::vector<std::string>> also_;  // Further paths of dictionaries.
  std::vector<const Value*> dicts_;                                   // Those of contents_.state_dicts.
  std::vector<absl::optional<DType>> dtypes_;  // The dtype in which tensors view each of contents_.storages.
};

absl::StatusOr<bool> Collector::See(const Value& value) {
  RETURN_IF_ERROR(budget_.Spend(kSeenCost));
  return seen_.insert(&value).second;
}

absl::Status Collector::CheckOneDType(const CheckpointTensor& tensor) {
  const Storage& storage = contents_.storages[tensor.storage];
  if (storage.bytes.empty()) return absl::OkStatus();  // PyTorch accepts those, too.
  dtypes_.resize(contents_.storages.size());
  absl::optional<DType>& dtype = dtypes_[tensor.storage];
  if (!dtype) dtype = tensor.dtype;
  if (*dtype == tensor.dtype) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(Brief(storage.name), " is viewed as ", DTypeName(*dtype), " and as ",
                                          DTypeName(tensor.dtype), ", which torch.save never writes"));
}

absl::StatusOr<CheckpointTensor> Collector::MakeTensor(const std::string& key, absl::StatusOr<TorchTensor> parsed) {
  RETURN_IF_ERROR(parsed.status());
  ASSIGN_OR_RETURN(const int storage, find_storage_(parsed->storage));
  CheckpointTensor tensor{key,    parsed->dtype, std::move(parsed->shape), std::move(parsed->strides), parsed->offset,
                          storage};
  // A view of no elements may begin anywhere: x[4:, 3:] of a [4, 5] begins beyond the storage.
  if (ElementCount(tensor.shape) == 0 && tensor.offset > 0) tensor.offset = 0;
  RETURN_IF_ERROR(CheckTensorBounds(tensor, contents_.storages[storage].bytes.size(), budget_.file_size()));
  RETURN_IF_ERROR(CheckOneDType(tensor));
  return tensor;
}

absl::StatusOr<int> Collector::FindBytes(const Value& bytes) {
  const auto [index, is_new] = array_storages_.try_emplace(&bytes, static_cast<int>(contents_.storages.size()));
  if (!is_new) return index->second;
  const StoredBytes stored = *BytesOfArray(bytes);
  RETURN_IF_ERROR(budget_.Spend(kArrayCost + (stored.is_text ? stored.bytes.size() : 0)));
  Storage storage{"", stored.bytes, absl::nullopt};
  if (stored.is_text) {
    ASSIGN_OR_RETURN(std::string decoded, DecodeText(stored.bytes));
    if (contents_.decoded == nullptr) contents_.decoded = std::make_shared<std::deque<std::string>>();
    storage.bytes = contents_.decoded->emplace_back(std::move(decoded));
  }
  contents_.storages.push_back(std::move(storage));
  return index->second;
}

absl::StatusOr<CheckpointTensor> Collector::MakeTensor(const std::string& key, const NumpyArray& array) {
  const absl::optional<int64_t> count = ElementCount(array.shape);
  if (!count) return absl::DataLossError("an array of a shape that cannot be");
  ASSIGN_OR_RETURN(const int storage, FindBytes(*array.bytes));
  const int64_t has = contents_.storages[storage].bytes.size();
  int64_t wants;
  if (__builtin_mul_overflow(*count, ByteSize(array.dtype), &wants) || wants != has) {
    return absl::DataLossError(
        absl::StrCat("an array of ", *count, " elements of ", DTypeName(array.dtype), " that has ", has, " bytes"));
  }
  std::vector<int64_t> strides = array.is_column_major ? ColumnMajorStrides(array.shape) : RowMajorStrides(array.shape);
  CheckpointTensor tensor{key, array.dtype, array.shape, std::move(strides), 0, storage};
  RETURN_IF_ERROR(CheckOneDType(tensor));
  return tensor;
}

absl::Status Collector::AddTensor(const std::string& name, absl::StatusOr<CheckpointTensor> tensor, StateDict* dict) {
  if (!tensor.ok()) return Annotate(tensor.status(), Brief(JoinPath(dict->path, name)));
  const size_t numbers = tensor->shape.capacity() + tensor->strides.capacity();
  RETURN_IF_ERROR(budget_.Spend(2 * sizeof(CheckpointTensor) + name.size() + numbers * sizeof(int64_t)));
  dict->tensors.push_back(*std::move(tensor));
  return absl::OkStatus();
}

absl::Status Collector::AddTorchTensor(const std::string& name, const Value& value, const TensorCall& call,
                                       StateDict* dict) {
  absl::StatusOr<TorchTensor> parsed = ParseTensor(call);
  if (absl::IsUnimplemented(parsed.status())) {
    std::string path = JoinPath(dict->path, name);
    RETURN_IF_ERROR(budget_.Spend(path.size() + name.size() + 2 * kNameCost));
    contents_.loose.push_back({std::move(path), std::string(parsed.status().message()), 1, 0, name});
    return absl::OkStatus();
  }
  for (const Value* attachment : Attachments(value)) {
    RETURN_IF_ERROR(AddRest(dict->path, name + ".(attributes)", *attachment));
  }
  return AddTensor(name, MakeTensor(name, std::move(parsed)), dict);
}

absl::Status Collector::AddPending(const std::string& path, const std::string& name, const Value& value) {
  ASSIGN_OR_RETURN(const bool first, See(value));
  if (!first && !pickle::IsDict(value) && ModuleOf(value) == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(budget_.Spend(path.size() + name.size() + kNameCost));
  if (first) {
    pending_.push_back({JoinPath(path, name), &value});
  } else {
    also_[&value].push_back(JoinPath(path, name));
  }
  return absl::OkStatus();
}

absl::Status Collector::AddRest(const std::string& path, const std::string& name, const Value& value) {
  if (pickle::IsBare(value)) return absl::OkStatus();
  RETURN_IF_ERROR(budget_.Spend(path.size() + name.size() + kNameCost));
  rest_.push_back({JoinPath(path, name), &value});
  return absl::OkStatus();
}

absl::Status Collector::VisitEntry(const std::string& path, const std::string& name, const Value& value,
                                   StateDict* dict) {
  if (const absl::optional<TensorCall> call = AsTensor(value)) {
    RETURN_IF_ERROR(See(value).status());
    return AddTorchTensor(name, value, *call, dict);
  }
  if (const absl::optional<NumpyArray> array = AsNumpyArray(value)) {
    RETURN_IF_ERROR(See(value).status());
    return AddTensor(name, MakeTensor(name, *array), dict);
  }
  const bool has_entries = IsContainer(value) || ModuleOf(value) != nullptr;
  return has_entries ? AddPending(path, name, value) : AddRest(path, name, value);
}

absl::Status Collector::VisitDict(const Visit& visit) {
  StateDict dict{visit.path, {}, {}};
  absl::flat_hash_set<std::string> names;  // Of entries that may hold tensors.
  size_t count = 0;
  RETURN_IF_ERROR(pickle::ForEachEntry(*visit.value, [&](const Value& key, const Value& value) -> absl::Status {
    const std::string name = KeyName(key, count++);
    RETURN_IF_ERROR(budget_.Spend(name.size() + kNameCost));
    RETURN_IF_ERROR(AddRest(visit.path, name, key));
    if (pickle::IsBare(value) ? names.contains(name) : !names.insert(name).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          Brief(JoinPath(visit.path, name)), ": two keys of this dictionary are spelled so: rename or drop one"));
    }
    return VisitEntry(visit.path, name, value, &dict);
  }));
  if (const auto* object = visit.value->As<pickle::Object>()) {
    if (object->given != nullptr) RETURN_IF_ERROR(AddRest(visit.path, "(attributes)", *object->given));
    for (const Value* argument : object->args->As<pickle::Tuple>()->items) {
      RETURN_IF_ERROR(AddRest(visit.path, "(argument)", *argument));
    }
  }
  if (dict.tensors.empty()) return absl::OkStatus();
  contents_.state_dicts.push_back(std::move(dict));
  dicts_.push_back(visit.value);
  return absl::OkStatus();
}

absl::Status Collector::VisitSequence(const Visit& visit) {
  const std::vector<const Value*>& items = *pickle::SequenceItems(*visit.value);
  bool has_rest = false;
  for (size_t i = 0; i < items.size(); ++i) {
    if (IsContainer(*items[i]) || ModuleOf(*items[i]) != nullptr) {
      RETURN_IF_ERROR(AddPending(visit.path, absl::StrCat(i), *items[i]));
    } else {
      has_rest |= !pickle::IsBare(*items[i]);
    }
  }
  if (has_rest) sequences_.push_back(visit);
  return absl::OkStatus();
}

absl::Status Collector::AddTensors(const std::string& prefix, const Value& tensors,
                                   const absl::flat_hash_set<absl::string_view>& computed, StateDict* dict) {
  return pickle::ForEachEntry(tensors, [&](const Value& key, const Value& value) -> absl::Status {
    const std::string name = absl::StrCat(prefix, KeyName(key, dict->tensors.size()));
    RETURN_IF_ERROR(budget_.Spend(name.size() + kNameCost));
    const absl::optional<TensorCall> call = AsTensor(value);
    if (!call) return ModuleOf(value) != nullptr ? absl::OkStatus() : AddRest(dict->path, name, value);
    RETURN_IF_ERROR(See(value).status());
    const auto* const text = key.As<pickle::String>();
    if (text != nullptr && computed.contains(text->text)) return absl::OkStatus();
    return AddTorchTensor(name, value, *call, dict);
  });
}

PickledModule* Collector::ModuleOf(const Value& value) {
  if (value.As<pickle::Object>() == nullptr) return nullptr;
  const auto [module, is_new] = modules_.try_emplace(&value);
  if (is_new) {
    if (absl::optional<PickledModule> read = AsModule(value)) {
      module->second = std::make_unique<PickledModule>(*std::move(read));
    }
  }
  return module->second.get();
}

absl::Status Collector::VisitModule(const Visit& visit) {
  StateDict dict{visit.path, {}, {}, ModuleOf(*visit.value)->type};
  // Of modules within, the prefix of their keys. A module that several modules hold is under the name of each, as in a
  // state dict; the budget ends one that holds itself.
  std::vector<Visit> pending = {{"", visit.value}};
  while (!pending.empty()) {
    const Visit inner = std::move(pending.back());
    pending.pop_back();
    PickledModule& module = *ModuleOf(*inner.value);
    if (module.attributes == nullptr) {
      RETURN_IF_ERROR(AddTensors(inner.path, *module.parameters, {}, &dict));
      RETURN_IF_ERROR(AddTensors(inner.path, *module.buffers, module.computed, &dict));
    } else {
      RETURN_IF_ERROR(AddTensors(inner.path, *module.attributes, {}, &dict));
    }
    // Once: a module may be within several others.
    for (const Value* const other : std::exchange(module.others, {})) {
      RETURN_IF_ERROR(AddRest(visit.path, inner.path + "(attributes)", *other));
    }
    const Value& modules = module.attributes == nullptr ? *module.modules : *module.attributes;
    const size_t before = pending.size();
    RETURN_IF_ERROR(pickle::ForEachEntry(modules, [&](const Value& key, const Value& value) -> absl::Status {
      const std::string prefix = absl::StrCat(inner.path, KeyName(key, pending.size()), ".");
      RETURN_IF_ERROR(budget_.Spend(prefix.size() + kNameCost));
      const bool is_module = ModuleOf(value) != nullptr;
      // Other attributes of TorchScript were read above.
      if (!is_module && module.attributes != nullptr) return absl::OkStatus();
      RETURN_IF_ERROR(See(value).status());
      if (!is_module) return AddRest(visit.path, prefix + "(attributes)", value);
      pending.push_back({prefix, &value});
      return absl::OkStatus();
    }));
    std::reverse(pending.begin() + before, pending.end());
  }
  absl::flat_hash_set<absl::string_view> names;
  for (const CheckpointTensor& tensor : dict.tensors) {
    if (names.insert(tensor.key).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(Brief(JoinPath(dict.path, tensor.key)), ": two tensors of this module are spelled so"));
  }
  if (dict.tensors.empty()) return absl::OkStatus();
  contents_.state_dicts.push_back(std::move(dict));
  dicts_.push_back(visit.value);
  return absl::OkStatus();
}

absl::Status Collector::CountStorage(const pickle::PersistentId& id, LooseTensors* loose) {
  ++loose->tensors;
  const absl::StatusOr<TorchStorage> storage = ParseStorage(id);
  if (absl::IsUnimplemented(storage.status())) return absl::OkStatus();
  RETURN_IF_ERROR(storage.status());
  RETURN_IF_ERROR(find_storage_(*storage).status());
  loose->elements += storage->elements;
  return absl::OkStatus();
}

absl::Status Collector::VisitLoose(const Value& value, LooseTensors* loose, std::vector<const Value*>* pending) {
  std::vector<const Value*> next;
  const absl::optional<TensorCall> call = AsTensor(value);
  const absl::StatusOr<CheckpointTensor> tensor =
      call ? MakeTensor("", ParseTensor(*call)) : absl::UnimplementedError("no tensor");
  if (tensor.ok()) {
    ++loose->tensors;
    loose->elements += *ElementCount(tensor->shape);
    next = Attachments(value);
  } else if (!absl::IsUnimplemented(tensor.status())) {
    return tensor.status();
  } else if (const auto* id = value.As<pickle::PersistentId>(); id != nullptr && IsStorage(*id)) {
    return CountStorage(*id, loose);
  } else {
    next = Children(value);
  }
  for (const Value* child : next) {
    if (pickle::IsBare(*child)) continue;
    ASSIGN_OR_RETURN(const bool first, See(*child));
    if (first) pending->push_back(child);
  }
  return absl::OkStatus();
}

absl::Status Collector::CollectLoose(const Visit& visit) {
  LooseTensors loose{visit.path, pickle::Describe(*visit.value)};
  std::vector<const Value*> pending = {visit.value};
  while (!pending.empty()) {
    const Value& value = *pending.back();
    pending.pop_back();
    RETURN_IF_ERROR(Annotate(VisitLoose(value, &loose, &pending), Brief(visit.path)));
  }
  if (loose.tensors > 0) contents_.loose.push_back(std::move(loose));
  return absl::OkStatus();
}

// Gives the state dicts their further paths.
absl::Status Collector::NameEveryPath() {
  absl::flat_hash_set<absl::string_view> paths;
  for (size_t i = 0; i < dicts_.size(); ++i) {
    StateDict& dict = contents_.state_dicts[i];
    dict.also = std::move(also_[dicts_[i]]);
    std::vector<absl::string_view> all(dict.also.begin(), dict.also.end());
    all.push_back(dict.path);
    for (const absl::string_view path : all) {
      if (paths.insert(path).second) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(Brief(path), ": two dictionaries have this path, since a key of one has a dot: rename the key"));
    }
  }
  return absl::OkStatus();
}

absl::Status Collector::Collect(const Value& root) {
  RETURN_IF_ERROR(AddPending("", "", root));
  while (!pending_.empty()) {
    const Visit visit = std::move(pending_.back());
    pending_.pop_back();
    const size_t before = pending_.size();
    if (pickle::IsDict(*visit.value)) {
      RETURN_IF_ERROR(VisitDict(visit));
    } else {
      RETURN_IF_ERROR(ModuleOf(*visit.value) != nullptr ? VisitModule(visit) : VisitSequence(visit));
    }
    // The first child is the next to be visited.
    std::reverse(pending_.begin() + before, pending_.end());
  }
  RETURN_IF_ERROR(NameEveryPath());
  for (const Visit& visit : sequences_) RETURN_IF_ERROR(CollectLoose(visit));
  for (const Visit& visit : rest_) {
    ASSIGN_OR_RETURN(const bool first, See(*visit.value));
    if (first) RETURN_IF_ERROR(CollectLoose(visit));
  }
  return absl::OkStatus();
}

// Refuses a root that is neither a dictionary nor a module.
absl::Status CheckRoot(const Value& root) {
  if (pickle::IsDict(root) || AsModule(root)) return absl::OkStatus();
  std::string what = absl::StrCat(pickle::Describe(root), ", not a state dict");
  if (AsTensor(root)) {
    what = "a single tensor, not a state dict";
  } else if (root.As<pickle::Object>() != nullptr) {
    what = absl::StrCat(pickle::Describe(root), ", neither a state dict nor a torch.nn.Module");
  }
  return absl::InvalidArgumentError(
      absl::StrCat("holds ", what, "\n  save the weights as torch.save(model.state_dict(), path)"));
}

// Refuses what one process saved of a model that is spread over several.
absl::Status CheckHoldsNoShards(const CheckpointContents& contents) {
  for (const LooseTensors& loose : contents.loose) {
    if (IsShardClass(loose.holder)) return HoldsShards(absl::StrCat(Brief(loose.path), ", ", loose.holder));
  }
  for (const StateDict& dict : contents.state_dicts) {
    for (const CheckpointTensor& tensor : dict.tensors) {
      if (IsFlatParameter(tensor.key)) {
        return HoldsShards(absl::StrCat("the flat parameter ", Brief(JoinPath(dict.path, tensor.key))));
      }
    }
  }
  return absl::OkStatus();
}

// One past the index in the storage of the element furthest from its beginning; nullopt on overflow. No size is 0.
absl::optional<int64_t> EndElement(const CheckpointTensor& tensor) {
  int64_t end = tensor.offset;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    int64_t span;
    if (__builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &span)) return absl::nullopt;
    if (__builtin_add_overflow(end, span, &end)) return absl::nullopt;
  }
  if (__builtin_add_overflow(end, 1, &end)) return absl::nullopt;
  return end;
}

std::string Describe(const CheckpointTensor& tensor) {
  return absl::StrCat("shape ", ShapeString(tensor.shape), ", strides [", absl::StrJoin(tensor.strides, ", "),
                      "], offset ", tensor.offset);
}

}  // namespace

absl::Status CollectStateDicts(const Value& root, StorageFinder find_storage, Budget& budget,
                               CheckpointContents* contents) {
  RETURN_IF_ERROR(CheckRoot(root));
  RETURN_IF_ERROR(Collector(find_storage, budget, contents).Collect(root));
  RETURN_IF_ERROR(CheckHoldsNoShards(*contents));
  if (!contents->state_dicts.empty()) return absl::OkStatus();
  if (contents->loose.empty()) return absl::InvalidArgumentError("holds no tensors");
  const auto describe = [&](size_t i) {
    const LooseTensors& loose = contents->loose[i];
    const std::string what = absl::StrCat(Brief(loose.path), " is ", loose.holder);
    return loose.key.empty() ? absl::StrCat(what, " with ", Counted(loose.tensors, "tensor")) : what;
  };
  return absl::InvalidArgumentError(absl::StrCat("holds no state dict",
                                                 FirstFewLines(contents->loose.size(), "  ", describe),
                                                 "\n  save the weights as torch.save(model.state_dict(), path)"));
}

absl::Status CheckTensorBounds(const CheckpointTensor& tensor, int64_t storage_bytes, int64_t max_bytes) {
  bool negative = tensor.offset < 0;
  for (const int64_t stride : tensor.strides) negative |= stride < 0;
  const absl::optional<int64_t> count = ElementCount(tensor.shape);
  if (tensor.strides.size() != tensor.shape.size() || negative || !count) {
    return absl::DataLossError(absl::StrCat(Describe(tensor), " describe no tensor"));
  }
  const int64_t byte_size = ByteSize(tensor.dtype);
  const int64_t elements = storage_bytes / byte_size;
  const absl::optional<int64_t> end = *count == 0 ? tensor.offset : EndElement(tensor);
  if (!end || *end > elements) {
    return absl::DataLossError(
        absl::StrCat(Describe(tensor), " reach beyond the storage, which has ", elements, " elements"));
  }
  if (*count > max_bytes / byte_size) {
    return absl::DataLossError(absl::StrCat(Describe(tensor), " expand to more bytes than the file has"));
  }
  return absl::OkStatus();
}

}  // namespace modelport
