#include "common/keymap/left_out.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/tensor/shape.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/text/units.h"

namespace modelport {
namespace {

constexpr size_t kShownPath = 100;

struct ElementsHash {
  size_t operator()(const CheckpointTensor* tensor) const {
    return absl::HashOf(tensor->storage, tensor->offset, tensor->dtype);
  }
};

struct ElementsEqual {
  bool operator()(const CheckpointTensor* a, const CheckpointTensor* b) const { return SameElements(*a, *b); }
};

using TensorSet = absl::flat_hash_set<const CheckpointTensor*, ElementsHash, ElementsEqual>;

// `path` up to the first step that differs from those of `taken`. A file may have paths of many steps, so that this
// must not take longer for each.
absl::string_view Branch(absl::string_view path, absl::string_view taken) {
  const size_t same = std::mismatch(path.begin(), path.end(), taken.begin(), taken.end()).first - path.begin();
  size_t end = path.find('.', same);
  const bool is_within = !taken.empty() && same == taken.size() && end == same;
  if (is_within) end = path.find('.', end + 1);
  return path.substr(0, end);
}

class LeftOutList {
 public:
  void Add(absl::string_view path, int64_t tensors, int64_t elements) {
    const auto [position, added] = positions_.try_emplace(std::string(path), list_.size());
    if (added) list_.push_back({std::string(path)});
    list_[position->second].tensors += tensors;
    list_[position->second].elements += elements;
  }

  std::vector<LeftOut> Take() { return std::move(list_); }

 private:
  absl::flat_hash_map<std::string, size_t> positions_;  // In list_, by path.
  std::vector<LeftOut> list_;
};

// The dictionary of which `taken` is a part, as FindPart makes them; null if it is a dictionary of the file itself.
const StateDict* CutDict(const Checkpoint& checkpoint, const StateDict& taken) {
  const StateDict* cut = nullptr;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    if (&dict == &taken) return nullptr;
    const bool may_be = dict.path.empty() || absl::StartsWith(taken.path, absl::StrCat(dict.path, "."));
    if (may_be && (cut == nullptr || dict.path.size() > cut->path.size())) cut = &dict;
  }
  return cut;
}

}  // namespace

std::vector<LeftOut> FindLeftOut(const Checkpoint& checkpoint, const StateDict& taken) {
  TensorSet taken_tensors;
  for (const CheckpointTensor& tensor : taken.tensors) taken_tensors.insert(&tensor);
  const StateDict* const cut = CutDict(checkpoint, taken);
  LeftOutList list;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    const absl::string_view branch = Branch(dict.path, taken.path);
    for (const CheckpointTensor& tensor : dict.tensors) {
      if (taken_tensors.contains(&tensor)) continue;
      const int64_t elements = *ElementCount(tensor.shape);
      if (&dict == cut) {
        list.Add(Branch(absl::StrCat(dict.path, dict.path.empty() ? "" : ".", tensor.key), taken.path), 1, elements);
      } else {
        list.Add(branch, 1, elements);
      }
    }
  }
  for (const LooseTensors& loose : checkpoint.loose()) {
    list.Add(Branch(loose.path, taken.path), loose.tensors, loose.elements);
  }
  return list.Take();
}

std::string DescribeLeftOut(const std::vector<LeftOut>& left_out) {
  std::vector<std::string> parts;
  for (const LeftOut& part : left_out) {
    parts.push_back(absl::StrCat(part.path.empty() ? DictName("") : Brief(part.path, kShownPath), " (",
                                 Counted(part.tensors, "tensor"), ")"));
  }
  return FirstFew(parts);
}

std::string DictName(absl::string_view path) {
  return path.empty() ? "the file's root" : absl::StrCat("dictionary ", Brief(path));
}

}  // namespace modelport
