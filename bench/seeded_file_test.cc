#include "bench/seeded_file.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/expression/expression.h"
#include "common/keymap/key_map.h"
#include "common/module_tree/module_library.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr char kModules[] = R"yaml(modules:
  Net():
    parameters: {weight: [2, 3]}
    buffers:
      steps: {shape: [], dtype: int64}
      index: {shape: [3], dtype: int32}
      short: {shape: [3], dtype: int16}
      small: {shape: [3], dtype: int8}
      bytes: {shape: [3], dtype: uint8}
      mask: {shape: [3], dtype: bool}
)yaml";

// A model with a slot of each dtype.
class SeededFileTest : public testing::Test {
 protected:
  void SetUp() override {
    auto library = std::make_shared<ModuleLibrary>();
    ASSERT_OK(library->AddFile({"m.yaml", kModules}));
    plugin_.library = library;
    ASSERT_OK_AND_ASSIGN(plugin_.key_map, ParseKeyMap({"k.yaml", "layouts: {original: {recognise: [weight]}}\n"}));
    ASSERT_OK_AND_ASSIGN(variant_.module, ParseCall("Net()"));
  }

  // Expects the file to hold every slot in its dtype and shape, integers being 0.
  static void ExpectEverySlot(const std::string& path) {
    ASSERT_OK_AND_ASSIGN(const Checkpoint checkpoint, OpenCheckpoint(path));
    std::string tensors;
    for (const CheckpointTensor& tensor : checkpoint.state_dicts().front().tensors) {
      tensors += absl::StrCat(tensor.key, " ", DTypeName(tensor.dtype), " ", ShapeString(tensor.shape), "\n");
      const bool is_zero = RowMajorBytes(checkpoint, tensor).find_first_not_of('\0') == std::string::npos;
      EXPECT_EQ(is_zero, tensor.key != "weight") << tensor.key;
    }
    EXPECT_EQ(tensors,
              "weight float32 [2, 3]\nsteps int64 []\nindex int32 [3]\nshort int16 [3]\nsmall int8 [3]\n"
              "bytes uint8 [3]\nmask bool [3]\n");
  }

  CatalogEntry entry() const { return {&plugin_, &variant_}; }

  Plugin plugin_;
  Variant variant_;
};

TEST_F(SeededFileTest, SafetensorsHoldEverySlotInItsDType) {
  const std::string path = testing::TempDir() + "/m.safetensors";
  ASSERT_OK(WriteSeededSafetensors(entry(), path));
  ExpectEverySlot(path);
}

TEST_F(SeededFileTest, TorchZipHoldsEverySlotInItsDType) {
  const std::string path = testing::TempDir() + "/m.pth";
  ASSERT_OK(WriteSeededTorchZip(entry(), path));
  ExpectEverySlot(path);
}

TEST_F(SeededFileTest, ARenamedKeyIsStoredUnderAnotherName) {
  const std::string path = testing::TempDir() + "/renamed.safetensors";
  ASSERT_OK(WriteSeededSafetensors(entry(), path, "steps"));
  ASSERT_OK_AND_ASSIGN(const Checkpoint checkpoint, OpenCheckpoint(path));
  EXPECT_EQ(checkpoint.state_dicts().front().tensors[1].key, "steps_");
}

}  // namespace
}  // namespace modelport
