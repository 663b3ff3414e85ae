#include "tools/inspect/print_checkpoint.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/operation/constant.h"
#include "common/operation/slot_source.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "registry/plugin.h"
#include "registry/recognise/checked_plan.h"

namespace modelport {
namespace {

CheckpointTensor Tensor(const std::string& key, DType dtype, Shape shape) {
  CheckpointTensor tensor;
  tensor.key = key;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  return tensor;
}

TEST(PrintContentsTest, ShowsEverythingThatHoldsTensors) {
  CheckpointContents contents;
  contents.path = "c.pth";
  contents.format = "torch.save (zip)";
  const std::string bytes(1500, '\0');
  contents.files.push_back({contents.path, bytes, nullptr});
  contents.metadata["format"] = "pt";
  contents.state_dicts.push_back(
      {"",
       {Tensor("norm.weight", DType::kFloat32, {384}), Tensor("blocks.0.w", DType::kFloat32, {2}),
        Tensor("count", DType::kInt64, {}), Tensor("blocks.1.w", DType::kFloat32, {2})},
       {}});
  contents.state_dicts.push_back({"ema", {Tensor("w", DType::kFloat16, {2, 3})}, {"model", "teacher"}});
  contents.loose.push_back({"buffers", "a list", 1, 2});
  std::ostringstream out;
  const Checkpoint checkpoint(std::move(contents));
  PrintFile(checkpoint, out);
  PrintContents(checkpoint, out);
  EXPECT_EQ(out.str(),
            "c.pth: torch.save (zip), 1.50 kB\n"
            "\nmetadata\n"
            "  format: pt\n"
            "\nstate dict at the root: 4 tensors (3 float32, 1 int64), 389 elements\n"
            "  norm.weight      float32  [384]\n"
            "  blocks.{0..1}.w  float32  [2]\n"
            "  count            int64    []\n"
            "\nstate dict \"ema\", also model, teacher: 1 tensors (1 float16), 6 elements\n"
            "  w  float16  [2, 3]\n"
            "\nbeside the state dicts\n"
            "  buffers is a list: 1 tensor, 2 elements\n");
}

class PrintFitTest : public testing::Test {
 protected:
  void SetUp() override {
    plugin_.family = "toys";
    small_.name = "toy_small";
    large_.name = "toy_large";
    ASSERT_OK_AND_ASSIGN(plugin_.key_map, ParseKeyMap({"keymap.yaml", kKeyMap}));
  }

  FittingVariant Fits(const Variant& variant, const std::string& layout = "original") const {
    Plan plan;
    plan.layout = layout;
    plan.sources = {Take{{Checkpoint(CheckpointContents()), &tensor_}}, Constant{{2}, DType::kFloat32, "not used"}};
    return {{&plugin_, &variant}, plan};
  }

  static std::string Text(const std::vector<FittingVariant>& variants,
                          const absl::optional<NearestVariant>& nearest = absl::nullopt) {
    std::ostringstream out;
    PrintFit(variants, nearest, "auto", out);
    return out.str();
  }

  static constexpr char kKeyMap[] = "layouts: {original: {recognise: [token, \"b.{i}.w\"]}, other: {recognise: [x]}}";

  const CheckpointTensor tensor_ = Tensor("token", DType::kFloat32, {2});
  Variant small_, large_;
  Plugin plugin_;
};

TEST_F(PrintFitTest, SaysWhichModelAndHowSureThatIs) {
  EXPECT_EQ(Text({Fits(small_)}),
            "\nfits toy_small\n"
            "  family toys, layout original, which has keys like token, b.{i}.w\n"
            "  in the file's root: 1 of 2 slots filled, 0 keys unused\n"
            "  sure: yes, no other model of the catalog has these keys and shapes\n");
  EXPECT_EQ(Text({Fits(small_), Fits(large_)}),
            "\nfits toy_small, toy_large\n"
            "  family toys, layout original, which has keys like token, b.{i}.w\n"
            "  in the file's root: 1 of 2 slots filled, 0 keys unused\n"
            "  sure: no, these 2 models have the same keys and shapes, and no config.json tells which; "
            "--model=NAME chooses\n");
}

TEST_F(PrintFitTest, SaysWhyOthersAreRefused) {
  const FittingVariant refused = {{&plugin_, &large_}, absl::FailedPreconditionError("c: does not fit\n  depth: 20")};
  EXPECT_EQ(Text({Fits(small_, "other"), refused}),
            "\nfits toy_small\n"
            "  family toys, layout other, which has keys like x\n"
            "  in the file's root: 1 of 2 slots filled, 0 keys unused\n"
            "  sure: yes, the others with these keys and shapes are refused\n"
            "  refused: c: does not fit\n"
            "    depth: 20\n");
  EXPECT_EQ(Text({refused}),
            "\nfits no model of the catalog\n"
            "  sure: no, what has these keys and shapes is refused\n"
            "  refused: c: does not fit\n"
            "    depth: 20\n");
}

TEST_F(PrintFitTest, NamesTheNearest) {
  EXPECT_EQ(Text({}), "\nfits no model of the catalog\n");
  EXPECT_EQ(Text({}, NearestVariant{"dav2_vits", "(layout original): 1 of 247 keys missing"}),
            "\nfits no model of the catalog\n"
            "the nearest is dav2_vits (layout original): 1 of 247 keys missing\n");
}

TEST(PrintPlanTest, ShowsHowSlotsAreFilledAndWhatIsLeft) {
  ModuleTree tree;
  tree.slots = {{"fc.weight", {2, 2}}, {"mask_token", {2}}, {"head.weight", {2, 2}}};
  const CheckpointTensor tensor = Tensor("fc.weight", DType::kFloat32, {2, 2});
  Plan plan;
  plan.layout = "original";
  plan.state_dict = "teacher";
  const Take taken = {{Checkpoint(CheckpointContents()), &tensor}};
  plan.sources = {taken, Constant{{2}, DType::kFloat32, "used with masks only"}, taken};
  plan.aliases = {{"head.weight", "fc.weight"}};
  plan.old_names = {{"layer1.{rest*}", "fc.{rest*}", "renamed in release 2", 1}};
  plan.unused = {{"loss.weight", "of training"}};
  plan.left_out = {{"student", 3, 12}};
  std::ostringstream out;
  PrintPlan(plan, tree, "toy", out);
  EXPECT_EQ(out.str(),
            "\nfits toy: layout original, state dict \"teacher\", 2 of 3 slots filled\n"
            "  zeros: mask_token (used with masks only)\n"
            "  old names: 1 key, layer1.{rest*} is now fc.{rest*} (renamed in release 2)\n"
            "  shared: head.weight is stored as fc.weight\n"
            "  unused: loss.weight (of training)\n"
            "  left out: student (3 tensors)\n");
}

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
