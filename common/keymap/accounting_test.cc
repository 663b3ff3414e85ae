// Every tensor of a checkpoint is taken, or listed as left out: of pickles that nest whatever Python pickles, at
// random.
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/readers.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/keymap/left_out.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

// Writes values with tensors at random places in them. Each tensor is a part of one storage that no other tensor has.
class RandomPickle {
 public:
  explicit RandomPickle(uint32_t seed) : random_(seed) {}

  // A dictionary.
  std::string Root() { return Dict(5); }

  int64_t tensors() const { return tensors_; }
  int64_t elements() const { return elements_; }

 private:
  // The order of operands is not that of evaluation, which the memo needs.
  static std::string Then(std::string first, const std::function<std::string()>& second) { return first + second(); }

  int Below(int limit) { return static_cast<int>(random_() % limit); }

  std::string Tensor() {
    const int32_t size = 1 + Below(4);
    const int32_t offset = static_cast<int32_t>(elements_);
    elements_ += size;
    ++tensors_;
    // All of a storage whose size is not known before the end.
    return PickleTensor(PickleStorage("FloatStorage", "0", kStorageElements), offset, {size}, {1});
  }

  std::string Utils(const std::string& name) { return PickleGlobal("torch._utils", name); }

  // A tensor as a plain one, a Parameter, or with an attribute that holds something.
  std::string AnyTensor(int depth) {
    const std::string hooks = PickleCall(PickleGlobal("collections", "OrderedDict"), {});
    switch (Below(5)) {
      case 0:
        return PickleCall(Utils("_rebuild_parameter"), {Tensor(), "\x88", hooks});
      case 1:
        return PickleCall(Utils("_rebuild_parameter_with_state"), {Tensor(), "\x88", hooks, Any(depth - 1)});
      case 2:
        return Then(Tensor(), [&] { return Any(depth - 1) + "b"; });
      default:
        return Tensor();
    }
  }

  std::string Key() {
    return Below(3) == 0 ? PickleInt(++keys_) : PickleString(absl::StrCat(Below(4) == 0 ? "a." : "k", ++keys_));
  }

  Entries RandomEntries(int depth) {
    Entries entries;
    for (int i = Below(4); i >= 0; --i) entries.emplace_back(Key(), Any(depth - 1));
    if (Below(8) == 0) entries.emplace_back(PickleTuple({Any(depth - 1), PickleInt(++keys_)}), "N");
    return entries;
  }

  std::string Dict(int depth) {
    const std::string ordered = PickleGlobal("collections", "OrderedDict");
    const std::string default_dict = PickleGlobal("collections", "defaultdict");
    std::vector<std::string> pairs;
    switch (Below(6)) {
      case 0:
        return Then(PickleCall(ordered, {}), [&] { return Items(RandomEntries(depth)); });
      case 1:
        for (const auto& [key, value] : RandomEntries(depth)) pairs.push_back(PickleList({key, value}));
        return PickleCall(ordered, {PickleList(pairs)});
      case 2:
        return Then(PickleCall(ordered, {PickleDict(RandomEntries(depth))}),
                    [&] { return Items(RandomEntries(depth)); });
      case 3:
        return Then(PickleCall(default_dict, {Any(depth - 1)}), [&] { return Items(RandomEntries(depth)); });
      case 4:
        return Then(Then(PickleCall(ordered, {}), [&] { return Items(RandomEntries(depth)); }),
                    [&] { return Any(depth - 1) + "b"; });
      default:
        return PickleDict(RandomEntries(depth));
    }
  }

  std::string Items(const Entries& entries) {
    std::string items = "(";
    for (const auto& [key, value] : entries) absl::StrAppend(&items, key, value);
    return items + "u";
  }

  std::string Object(int depth) {
    const std::string net = PickleGlobal("nets", "Net");
    switch (Below(6)) {
      case 0:
        return PickleCall(net, {Any(depth - 1)});
      case 1:
        return PickleCall(net, {}) + Any(depth - 1) + "b";
      case 2:
        return PickleCall(net, {}) + Any(depth - 1) + "a";
      case 3:
        return PickleCall(net, {}) + Items(RandomEntries(depth));
      case 4:
        return net + ")" + PickleDict(RandomEntries(depth)) + "\x92";
      default:
        return PicklePersistentId(PickleTuple({Any(depth - 1)}));
    }
  }

  std::vector<std::string> Sequence(int depth) {
    std::vector<std::string> items;
    for (int i = Below(4); i > 0; --i) items.push_back(Any(depth - 1));
    return items;
  }

  std::string New(int depth) {
    switch (Below(8)) {
      case 0:
        return PickleList(Sequence(depth));
      case 1:
        return PickleTuple(Sequence(depth));
      case 2:
        return Object(depth);
      case 3:
      case 4:
        return Dict(depth);
      default:
        return AnyTensor(depth);
    }
  }

  // Something new, or again something that was written before.
  std::string Any(int depth) {
    if (depth <= 0) return Below(2) == 0 ? Tensor() : "N";
    if (memo_ > 0 && Below(6) == 0) return absl::StrCat("h", std::string(1, static_cast<char>(Below(memo_))));
    std::string value = New(depth);
    // Not before it is whole, so that nothing holds itself.
    if (memo_ < 250) value += absl::StrCat("q", std::string(1, static_cast<char>(memo_++)));
    return value;
  }

 public:
  static constexpr int kStorageElements = 20'000;

 private:
  std::mt19937 random_;
  int keys_ = 0;
  int memo_ = 0;
  int64_t tensors_ = 0;
  int64_t elements_ = 0;
};

struct Count {
  int64_t tensors = 0;
  int64_t elements = 0;

  void Add(int64_t more_tensors, int64_t more_elements) {
    tensors += more_tensors;
    elements += more_elements;
  }
};

Count CountLoose(const Checkpoint& checkpoint) {
  Count count;
  for (const LooseTensors& loose : checkpoint.loose()) count.Add(loose.tensors, loose.elements);
  return count;
}

// The dictionaries, and what is loose, hold each tensor that was written.
void ExpectAllFound(const Checkpoint& checkpoint, const RandomPickle& written) {
  Count found = CountLoose(checkpoint);
  absl::flat_hash_set<int64_t> offsets;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    for (const CheckpointTensor& tensor : dict.tensors) {
      if (offsets.insert(tensor.offset).second) found.Add(1, *ElementCount(tensor.shape));
    }
  }
  EXPECT_EQ(found.tensors, written.tensors());
  EXPECT_EQ(found.elements, written.elements());
}

// Whichever dictionary is taken, all that it does not hold is left out.
void ExpectEveryTensorIsEitherTakenOrLeftOut(const Checkpoint& checkpoint, const StateDict& taken) {
  absl::flat_hash_set<int64_t> offsets;
  for (const CheckpointTensor& tensor : taken.tensors) offsets.insert(tensor.offset);
  Count others = CountLoose(checkpoint);
  for (const StateDict& dict : checkpoint.state_dicts()) {
    for (const CheckpointTensor& tensor : dict.tensors) {
      if (!offsets.contains(tensor.offset)) others.Add(1, *ElementCount(tensor.shape));
    }
  }
  Count left_out;
  for (const LeftOut& part : FindLeftOut(checkpoint, taken)) left_out.Add(part.tensors, part.elements);
  EXPECT_EQ(left_out.tensors, others.tensors) << taken.path;
  EXPECT_EQ(left_out.elements, others.elements) << taken.path;
}

void ExpectAllAccountedFor(CheckpointContents contents, const RandomPickle& written) {
  const Checkpoint checkpoint(std::move(contents));
  ExpectAllFound(checkpoint, written);
  for (const StateDict& taken : checkpoint.state_dicts()) ExpectEveryTensorIsEitherTakenOrLeftOut(checkpoint, taken);
}

TEST(AccountingTest, EveryTensorIsEitherTakenOrLeftOut) {
  int checkpoints = 0;
  for (int seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    RandomPickle random(seed);
    const std::string object = random.Root();
    ASSERT_LT(random.elements(), RandomPickle::kStorageElements);
    const std::vector<StorageData> storages = {
        {"0", RandomPickle::kStorageElements, std::string(4 * RandomPickle::kStorageElements, '\0')}};
    const std::string zip = TorchZipFile(object, random.tensors() == 0 ? std::vector<StorageData>() : storages);
    const absl::StatusOr<CheckpointContents> contents = ReadTorchZip(zip);
    if (absl::IsInvalidArgument(contents.status())) {
      EXPECT_THAT(contents, StatusIs(absl::StatusCode::kInvalidArgument, testing::StartsWith("holds no ")));
      continue;
    }
    ASSERT_OK(contents);
    ExpectAllAccountedFor(*contents, random);
    const std::string legacy = TorchLegacyFile(object, storages);
    ASSERT_OK_AND_ASSIGN(const CheckpointContents legacy_contents, ReadTorchLegacy(legacy));
    ExpectAllAccountedFor(legacy_contents, random);
    ++checkpoints;
  }
  EXPECT_GT(checkpoints, 1000);
}

}  // namespace
}  // namespace modelport
