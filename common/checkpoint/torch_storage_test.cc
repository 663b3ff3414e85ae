#include "common/checkpoint/torch_storage.h"

#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/checkpoint/budget.h"
#include "common/checkpoint/pickle/machine.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

// A pickle of one reference, whose tuple has `items`.
class Reference {
 public:
  explicit Reference(const std::vector<std::string>& items) : bytes_(Pickled(PicklePersistentId(PickleTuple(items)))) {
    Budget budget(bytes_.size());
    pickle_ = *pickle::ReadPickle(bytes_, budget);
  }

  const pickle::PersistentId& id() const { return *pickle_.persistent_ids.front(); }

 private:
  std::string bytes_;
  pickle::Pickle pickle_;
};

std::vector<std::string> Items(const std::string& type = "FloatStorage", const std::string& key = "7",
                               int32_t elements = 6) {
  return {PickleString("storage"), PickleGlobal("torch", type), PickleString(key), PickleString("cpu"),
          PickleInt(elements)};
}

std::vector<std::string> With(std::string item, std::vector<std::string> items = Items()) {
  items.push_back(std::move(item));
  return items;
}

TEST(TorchStorageTest, ReadsTheReference) {
  const Reference reference(Items());
  EXPECT_TRUE(IsStorage(reference.id()));
  EXPECT_EQ(StorageKey(reference.id()), "7");
  ASSERT_OK_AND_ASSIGN(const TorchStorage storage, ParseStorage(reference.id()));
  EXPECT_EQ(storage.key, "7");
  EXPECT_EQ(storage.elements, 6);
  EXPECT_EQ(storage.view_offset, 0);
  EXPECT_EQ(storage.type->dtype, DType::kFloat32);
  EXPECT_EQ(storage.type->byte_size, 4);
}

TEST(TorchStorageTest, ALegacyViewHasAnOffset) {
  const std::string view = PickleTuple({PickleString("8"), PickleInt(2), PickleInt(4)});
  const Reference reference(With(view));
  ASSERT_OK_AND_ASSIGN(const TorchStorage storage, ParseStorage(reference.id()));
  EXPECT_EQ(storage.view_offset, 2);
}

TEST(TorchStorageTest, AnUnsupportedDTypeHasASizeAllTheSame) {
  const Reference reference(Items("ComplexFloatStorage"));
  ASSERT_OK_AND_ASSIGN(const TorchStorage storage, ParseStorage(reference.id()));
  EXPECT_EQ(storage.type->dtype, absl::nullopt);
  EXPECT_EQ(storage.type->byte_size, 8);
}

TEST(TorchStorageTest, OtherReferencesAreNoStorages) {
  const Reference module({PickleString("module"), PickleGlobal("nets", "Net"), PickleString("net.py")});
  EXPECT_FALSE(IsStorage(module.id()));
  EXPECT_EQ(StorageKey(module.id()), absl::nullopt);
  EXPECT_THAT(ParseStorage(module.id()), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("storage: wants a class")));
}

TEST(TorchStorageTest, AnUnknownClassIsUnsupportedAndHasAKey) {
  const Reference reference(Items("FancyStorage"));
  EXPECT_EQ(StorageKey(reference.id()), "7");
  EXPECT_THAT(ParseStorage(reference.id()), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("FancyStorage")));
}

TEST(TorchStorageTest, RefusesMalformedReferences) {
  std::vector<std::string> without_size = Items();
  without_size.pop_back();
  const std::string offset_too_large = PickleTuple({PickleString("8"), PickleInt(7), PickleInt(4)});
  for (const std::vector<std::string>& items :
       {without_size, Items("FloatStorage", "7", -1), Items("FloatStorage", std::string(101, 'x')),
        With(offset_too_large), With(PickleInt(2))}) {
    const Reference reference(items);
    EXPECT_THAT(ParseStorage(reference.id()), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("wants a")));
  }
}

}  // namespace
}  // namespace modelport
