#include "tools/inspect/print_mapping.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr char kKeyMap[] = R"yaml(layouts:
  transformers:
    recognise: [cls]
    sources:
      - {slot: token, key: cls}
      - {slot: "blocks.{i}.qkv", key: "layer.{i}.{query,key,value}", by: concatenate(0)}
      - {slot: "blocks.{i}.{w1,w2}", key: "layer.{i}.w12", by: "chunk(2, 0)"}
    missing:
      - {key: mask, reason: not used}
)yaml";

// A model of three blocks and a checkpoint of it.
class PrintMappingTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(key_map_, ParseKeyMap({"keymap.yaml", kKeyMap}));
    tree_.slots = {{"token", {2}}, {"mask", {2}}};
    Add("cls", {2});
    for (int i = 0; i < 3; ++i) {
      const std::string block = absl::StrCat("blocks.", i, "."), layer = absl::StrCat("layer.", i, ".");
      tree_.slots.push_back({block + "qkv", {6, 2}});
      for (const char* slot : {"w1", "w2"}) tree_.slots.push_back({block + slot, {2, 2}});
      for (const char* key : {"query", "key", "value"}) Add(layer + key, {2, 2});
      Add(layer + "w12", {4, 2});
    }
  }

  void Add(const std::string& key, Shape shape, DType dtype = DType::kFloat32) {
    tensors_.push_back({key, dtype, std::move(shape), {}, 0, static_cast<int>(tensors_.size())});
  }

  absl::StatusOr<Comparison> Compare() {
    const Checkpoint checkpoint = MakeHeaderCheckpoint("net.pth", std::vector<StateDict>{{"", tensors_, {}}});
    opened_.push_back(checkpoint);
    ASSIGN_OR_RETURN(const KeyMapper mapper, KeyMapper::Make(checkpoint, key_map_, {}));
    return mapper.Compare(tree_, "net");
  }

  KeyMap key_map_;
  ModuleTree tree_;
  std::vector<CheckpointTensor> tensors_;
  std::vector<Checkpoint> opened_;
};

TEST_F(PrintMappingTest, LayersAreOneRow) {
  ASSERT_OK_AND_ASSIGN(const Comparison comparison, Compare());
  ASSERT_TRUE(comparison.fits());
  std::ostringstream out;
  PrintMapping(comparison.plan, tree_, out);
  EXPECT_EQ(out.str(),
            "\nmapping\n"
            "  token              <- cls                                            [2]\n"
            "  mask               <- zeros                                          [2]\n"
            "  blocks.{0..2}.qkv  <- concatenate(0) layer.{0..2}.{query,key,value}  [6, 2]\n"
            "  blocks.{0..2}.w1   <- chunk(2, 0)[0] layer.{0..2}.w12                [2, 2]\n"
            "  blocks.{0..2}.w2   <- chunk(2, 0)[1] layer.{0..2}.w12                [2, 2]\n");
}

TEST_F(PrintMappingTest, EveryDifferenceIsPrinted) {
  for (CheckpointTensor& tensor : tensors_) {
    if (tensor.key == "layer.1.w12") tensor.shape = {3, 2};
    if (tensor.key == "layer.2.key") tensor.shape = {2, 3};
    if (tensor.key == "cls") tensor.dtype = DType::kInt64;
  }
  tree_.slots.push_back({"blocks.3.qkv", {6, 2}});
  tensors_.back().key = "layer.2.w21";
  for (int i = 0; i < 7; ++i) Add(absl::StrCat("head.", i, ".bias"), {i == 6 ? 3 : 2});
  ASSERT_OK_AND_ASSIGN(const Comparison comparison, Compare());
  std::ostringstream out;
  PrintDifferences(comparison, "net", out);
  EXPECT_EQ(out.str(),
            "\ndoes not fit net: layout transformers, the file's root\n"
            "  missing: blocks.2.w1 [2, 2] <- layer.2.w12\n"
            "  missing: blocks.2.w2 [2, 2] <- layer.2.w12\n"
            "  missing: blocks.3.qkv [6, 2] <- layer.3.{query,key,value}\n"
            "  unexpected: layer.2.w21 [4, 2]\n"
            "  unexpected: head.{0..5}.bias [2]\n"
            "  unexpected: head.6.bias [3]\n"
            "  wrong dtype: token wants a floating dtype, has int64\n"
            "  cannot be made: blocks.1.w1 chunk(2, 0): 2 does not divide dimension 0 of [3, 2]\n"
            "  cannot be made: blocks.1.w2 chunk(2, 0): 2 does not divide dimension 0 of [3, 2]\n"
            "  cannot be made: blocks.2.qkv concatenate(0): the tensors have different shapes: [2, 2] and [2, 3]\n");
}

}  // namespace
}  // namespace modelport
