#include "common/checkpoint/state_dict_collector.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/pickle/python_objects.h"
#include "common/checkpoint/tensor_bounds.h"
#include "common/checkpoint/torch_tensor.h"
#include "common/io/utf8.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

using pickle::Value;

// A pickle can share one long key among many dictionaries, and nest them deeply, so that paths would grow without
// bound.
constexpr size_t kMaxNameBytes = size_t{64} << 20;

constexpr size_t kMaxObjects = 5;  // In a message.

std::string KeyName(const Value& key) {
  if (const auto* text = key.As<pickle::String>()) {
    return IsUtf8(text->text) ? std::string(text->text) : absl::CHexEscape(text->text);
  }
  if (const auto* number = key.As<int64_t>()) return absl::StrCat(*number);
  if (const auto* flag = key.As<bool>()) return *flag ? "True" : "False";
  return absl::StrCat("<", pickle::Describe(key), ">");
}

std::string Join(const std::string& path, const std::string& name) {
  return path.empty() ? name : absl::StrCat(path, ".", name);
}

bool IsContainer(const Value& value) { return pickle::IsDict(value) || pickle::SequenceItems(value) != nullptr; }

// What may hold state dicts, and the path to it.
struct Container {
  std::string path;
  const Value* value;
};

class Collector {
 public:
  Collector(StorageFinder find_storage, CheckpointContents* contents)
      : find_storage_(find_storage), contents_(*contents) {}

  absl::Status Collect(const Value& root);

  // What was met beside dictionaries, lists and tensors: a line for each of the first few objects.
  const std::vector<std::string>& objects() const { return objects_; }

 private:
  using NamedValues = std::vector<std::pair<std::string, const Value*>>;

  absl::StatusOr<NamedValues> NamedEntries(const Value& dict);
  absl::Status Visit(const Container& container);
  absl::Status VisitDict(const Container& container);
  // `path` is that of the dictionary or list, `name` that of `value` in it. They are joined only where they must be,
  // since paths may be long and values many.
  absl::Status AddPending(const std::string& path, const std::string& name, const Value& value);
  void NoteObject(const std::string& path, const std::string& name, const Value& value);
  absl::StatusOr<CheckpointTensor> MakeTensor(const std::string& key, const TensorCall& call);
  absl::Status CountName(absl::string_view name);

  StorageFinder find_storage_;
  CheckpointContents& contents_;
  std::vector<Container> pending_;  // A stack: dictionaries nest as deeply as the file likes.
  absl::flat_hash_set<const Value*> seen_;
  std::vector<std::string> objects_;
  size_t name_bytes_ = 0;
};

absl::Status Collector::CountName(absl::string_view name) {
  // An empty name counts too: a pickle may repeat one list of pairs in many dictionaries.
  name_bytes_ += name.size() + 1;
  if (name_bytes_ <= kMaxNameBytes) return absl::OkStatus();
  return absl::InvalidArgumentError("the names of its dictionaries and tensors take more than 64 MB: not a checkpoint");
}

// The entries of a dictionary, each name once and with its last value.
absl::StatusOr<Collector::NamedValues> Collector::NamedEntries(const Value& dict) {
  NamedValues named;
  absl::flat_hash_map<std::string, size_t> places;
  for (const auto& [key, value] : pickle::DictEntries(dict)) {
    std::string name = KeyName(*key);
    RETURN_IF_ERROR(CountName(name));
    const auto [place, added] = places.try_emplace(name, named.size());
    if (added) named.emplace_back(std::move(name), value);
    named[place->second].second = value;
  }
  return named;
}

absl::StatusOr<CheckpointTensor> Collector::MakeTensor(const std::string& key, const TensorCall& call) {
  ASSIGN_OR_RETURN(TorchTensor parsed, ParseTensor(call));
  ASSIGN_OR_RETURN(const int storage, find_storage_(parsed.storage));
  CheckpointTensor tensor{key,           parsed.dtype, std::move(parsed.shape), std::move(parsed.strides),
                          parsed.offset, storage};
  RETURN_IF_ERROR(CheckTensorBounds(tensor, contents_.storages[storage].bytes.size(), contents_.bytes.size()));
  return tensor;
}

void Collector::NoteObject(const std::string& path, const std::string& name, const Value& value) {
  if (value.As<pickle::Object>() == nullptr || objects_.size() == kMaxObjects) return;
  objects_.push_back(absl::StrCat(Join(path, name), " is ", pickle::Describe(value)));
}

absl::Status Collector::AddPending(const std::string& path, const std::string& name, const Value& value) {
  if (!seen_.insert(&value).second) return absl::OkStatus();
  pending_.push_back({Join(path, name), &value});
  return CountName(pending_.back().path);
}

absl::Status Collector::VisitDict(const Container& container) {
  ASSIGN_OR_RETURN(const NamedValues entries, NamedEntries(*container.value));
  StateDict dict{container.path, {}};
  for (const auto& [name, value] : entries) {
    if (const absl::optional<TensorCall> call = AsTensor(*value)) {
      absl::StatusOr<CheckpointTensor> tensor = MakeTensor(name, *call);
      if (!tensor.ok()) return Annotate(tensor.status(), Join(container.path, name));
      dict.tensors.push_back(*std::move(tensor));
    } else if (IsContainer(*value)) {
      RETURN_IF_ERROR(AddPending(container.path, name, *value));
    } else {
      NoteObject(container.path, name, *value);
    }
  }
  if (!dict.tensors.empty()) contents_.state_dicts.push_back(std::move(dict));
  return absl::OkStatus();
}

absl::Status Collector::Visit(const Container& container) {
  const std::vector<const Value*>* items = pickle::SequenceItems(*container.value);
  if (items == nullptr) return VisitDict(container);
  for (size_t i = 0; i < items->size(); ++i) {
    const Value& item = *(*items)[i];
    if (IsContainer(item)) RETURN_IF_ERROR(AddPending(container.path, absl::StrCat(i), item));
  }
  return absl::OkStatus();
}

absl::Status Collector::Collect(const Value& root) {
  RETURN_IF_ERROR(AddPending("", "", root));
  while (!pending_.empty()) {
    const Container container = std::move(pending_.back());
    pending_.pop_back();
    const size_t before = pending_.size();
    RETURN_IF_ERROR(Visit(container));
    // The first child is the next to be visited.
    std::reverse(pending_.begin() + before, pending_.end());
  }
  return absl::OkStatus();
}

// Refuses a root that is no dictionary.
absl::Status CheckRoot(const Value& root) {
  if (pickle::IsDict(root)) return absl::OkStatus();
  std::string what = absl::StrCat(pickle::Describe(root), ", not a state dict");
  if (AsTensor(root)) {
    what = "a single tensor, not a state dict";
  } else if (root.As<pickle::Object>() != nullptr) {
    what = absl::StrCat(pickle::Describe(root), ": a whole pickled model, not its state dict");
  }
  return absl::InvalidArgumentError(
      absl::StrCat("holds ", what, "\n  save the weights as torch.save(model.state_dict(), path)"));
}

}  // namespace

absl::Status CollectStateDicts(const Value& root, StorageFinder find_storage, CheckpointContents* contents) {
  RETURN_IF_ERROR(CheckRoot(root));
  Collector collector(find_storage, contents);
  RETURN_IF_ERROR(collector.Collect(root));
  if (!contents->state_dicts.empty()) return absl::OkStatus();
  std::string message = "holds no tensors";
  for (const std::string& line : collector.objects()) absl::StrAppend(&message, "\n  ", line);
  if (!collector.objects().empty()) absl::StrAppend(&message, "\n  save its state_dict() instead");
  return absl::InvalidArgumentError(message);
}

}  // namespace modelport
