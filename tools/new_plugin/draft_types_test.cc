#include "tools/new_plugin/draft_types.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/layout_reading.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::Not;

DraftedTypes DraftTypesOf(const std::vector<SeededKey>& keys, const std::vector<std::string>& taken = {}) {
  const Checkpoint checkpoint = MakeHeaderCheckpoint("c", keys);
  const std::shared_ptr<const SourceKeys> sources = RenameKeys(Layout(), checkpoint.state_dicts()[0]);
  const absl::StatusOr<KeyTree> tree = GroupKeys(sources->keys);
  EXPECT_THAT(tree, IsOk());
  return DraftTypes(tree->root, taken, "Net");
}

TEST(DraftTypesTest, PrintsATypeForEachStructure) {
  std::vector<SeededKey> keys = {{"cls", {1, 1, 8}}, {"stem.weight", {8, 3, 4, 4}}, {"stem.bias", {8}}};
  for (const std::string block : {"blocks.0.", "blocks.1.", "blocks.2."}) {
    keys.push_back({block + "norm.weight", {8}});
    keys.push_back({block + "norm.bias", {8}});
    keys.push_back({block + "mlp.fc.weight", {block == "blocks.2." ? 32 : 16, 8}});
  }
  const DraftedTypes types = DraftTypesOf(keys);
  EXPECT_EQ(types.root, "Net");
  EXPECT_EQ(types.count, 3);
  EXPECT_FALSE(types.lacks_counters);
  EXPECT_EQ(types.yaml, R"(  Mlp(outputs):
    children:
      fc: Linear(8, outputs, bias=0)  # or an embedding?
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        # DRAFT: returns its input. Write the forward of upstream's class; it has, in the order of the file:
        #   x = self.fc(x)
        return x

  Block(outputs):
    children:
      norm: LayerNorm(8, eps=1e-5)  # eps? or LayerNorm2d?
      mlp: Mlp(outputs=outputs)
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        # DRAFT: returns its input. Write the forward of upstream's class; it has, in the order of the file:
        #   x = self.norm(x)
        #   x = self.mlp(x)
        return x

  Net():
    parameters:
      cls: [1, 1, 8]
    children:
      stem: Conv2d(3, 8, kernel=4)  # stride? padding? groups?
      blocks:
        - repeat: 2
          module: Block(outputs=16)
        - Block(outputs=32)
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        # DRAFT: returns its input. Write the forward of upstream's class; it has, in the order of the file:
        #   x = self.stem(x)
        #   x = self.blocks(x)
        return x
)");
}

TEST(DraftTypesTest, ArgumentsOfATypeHaveNamesOfTheirOwn) {
  std::vector<SeededKey> keys;
  for (const int64_t i : {1, 2, 3}) {
    const std::string block = absl::StrCat("blocks.", i - 1, ".");
    keys.push_back({block + "mlp.fc1.weight", {16 * i, 8}});
    keys.push_back({block + "mlp.fc2.weight", {20 * i * i, 8}});
    keys.push_back({block + "last.weight", {30 + i, 8}});
  }
  const DraftedTypes types = DraftTypesOf(keys);
  EXPECT_THAT(types.yaml, HasSubstr("  Mlp(outputs, outputs_2):\n"));
  EXPECT_THAT(types.yaml, HasSubstr("  Block(outputs, outputs_2, outputs_3):\n"));
  EXPECT_THAT(types.yaml, HasSubstr("      mlp: Mlp(outputs=outputs, outputs_2=outputs_2)\n"));
  EXPECT_THAT(types.yaml, HasSubstr("last: Linear(8, outputs_3, bias=0)"));
}

TEST(DraftTypesTest, TensorsThatAreNotFloatingAreBuffersWithTheirDType) {
  const DraftedTypes types =
      DraftTypesOf({{"s", {}}, {"index", {4, 4}, DType::kInt64}, {"mask", {}, DType::kBool}, {"running_var", {3}}});
  EXPECT_THAT(types.yaml, HasSubstr("    parameters:\n"
                                    "      s: []\n"
                                    "    buffers:\n"
                                    "      index: {shape: [4, 4], dtype: int64}\n"
                                    "      mask: {shape: [], dtype: bool}\n"
                                    "      running_var: [3]\n"
                                    "    methods: |\n"));
}

TEST(DraftTypesTest, ListsKeepTheirIndices) {
  const DraftedTypes types =
      DraftTypesOf({{"head.1.weight", {4, 4}}, {"head.4.0.weight", {2, 4}}, {"head.4.1.weight", {2, 4}}});
  EXPECT_THAT(types.yaml, HasSubstr("      head:\n"
                                    "        - Identity()  # not in the file: a layer without tensors?\n"
                                    "        - Linear(4, 4, bias=0)  # or an embedding?\n"
                                    "        - repeat: 2\n"
                                    "          module: Identity()  # not in the file: a layer without tensors?\n"
                                    "        - module:\n"
                                    "            - repeat: 2\n"
                                    "              module: Linear(4, 2, bias=0)  # or an embedding?\n"));
}

TEST(DraftTypesTest, TakenNamesGetTheNameOfTheTypeAroundThemOrANumber) {
  const std::vector<SeededKey> keys = {
      {"a.mlp.w", {1}}, {"b.mlp.v", {1}}, {"mlp.u", {1}}, {"net.t", {1}}, {"none.s", {1}}};
  const DraftedTypes types = DraftTypesOf(keys, {"Mlp"});
  for (const char* type : {"  AMlp():", "  BMlp():", "  Mlp2():", "  Net():", "  None2():", "  Net2():"}) {
    EXPECT_THAT(types.yaml, HasSubstr(type));
  }
  EXPECT_EQ(types.root, "Net2");
}

TEST(DraftTypesTest, ModulesWithManyDifferencesHaveTypesOfTheirOwn) {
  std::vector<SeededKey> keys;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 9; ++j) keys.push_back({absl::StrCat("m.", i, ".w", j), {i == 2 ? 10 + j : 1 + j}});
  }
  const DraftedTypes types = DraftTypesOf(keys);
  EXPECT_EQ(types.count, 3);
  EXPECT_THAT(types.yaml, HasSubstr("        - repeat: 2\n          module: M()\n        - M2()\n"));
  keys.resize(keys.size() - 1);
  EXPECT_EQ(DraftTypesOf(keys).count, 3);  // m.2 has other tensors now.
}

TEST(DraftTypesTest, TheNameNullIsAText) {
  const DraftedTypes types = DraftTypesOf({{"null.Null", {1}}});
  EXPECT_THAT(types.yaml, HasSubstr("      \"Null\": [1]\n"));
  EXPECT_THAT(types.yaml, HasSubstr("      \"null\": Null()\n"));
}

TEST(DraftTypesTest, AForwardNamesABoundedNumberOfChildren) {
  std::vector<SeededKey> keys;
  for (int i = 0; i < 60; ++i) keys.push_back({absl::StrCat("m", i, ".weight"), {2, 2}});
  const DraftedTypes types = DraftTypesOf(keys);
  EXPECT_THAT(types.yaml, HasSubstr("        #   x = self.m49(x)\n        #   and 10 more\n        return x\n"));
  EXPECT_THAT(types.yaml, Not(HasSubstr("self.m50(x)")));
}

TEST(DraftTypesTest, NotesBatchNormsWithoutCounter) {
  EXPECT_TRUE(DraftTypesOf({{"bn.weight", {2}}, {"bn.bias", {2}}, {"bn.running_mean", {2}}, {"bn.running_var", {2}}})
                  .lacks_counters);
}

TEST(DraftTypesTest, TypeNamesAreInCamelCase) {
  EXPECT_EQ(TypeNameOf("patch_embed"), "PatchEmbed");
  EXPECT_EQ(TypeNameOf("resConfUnit1"), "ResConfUnit1");
  EXPECT_EQ(TypeNameOf("my-net.v2"), "MyNetV2");
  EXPECT_EQ(TypeNameOf("3d_net"), "Module3dNet");
  EXPECT_EQ(TypeNameOf("_"), "Module");
  EXPECT_EQ(TypeNameOf(std::string(64, 'a')).size(), 48);
}

}  // namespace
}  // namespace modelport
