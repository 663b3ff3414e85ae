#include "common/module_tree/size_tables.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

absl::StatusOr<ModuleTree> BuildTables(const std::string& modules, const std::string& call) {
  const auto library = std::make_shared<ModuleLibrary>();
  RETURN_IF_ERROR(library->AddFile({"modules.yaml", modules}));
  ASSIGN_OR_RETURN(const Call root, ParseCall(call));
  return BuildModuleTree(library, root);
}

constexpr char kTableModules[] = R"yaml(modules:
  Encoder(dim):
    parameters: {pos: [1, dim]}
    buffers: {mean: [dim]}
    children: {norm: Norm(dim)}
    size_tables: [positions, rotations]
  Norm(dim):
    parameters: {weight: [dim], bias: [dim]}
  Net(dim):
    parameters: {scale: [1]}
    children:
      encoders: [Encoder(dim), Encoder(dim)]
      head: Norm(dim)
    size_tables: [grid]
)yaml";

TEST(SizeTablesTest, StandBehindTheChildrenOfTheirModule) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildTables(kTableModules, "Net(4)"));
  const std::vector<SizeTable> tables = SizeTables(tree);
  EXPECT_THAT(
      TensorNames(tree, tables),
      ElementsAre("scale", "encoders.0.pos", "encoders.0.mean", "encoders.0.norm.weight", "encoders.0.norm.bias",
                  "encoders.0.positions_table", "encoders.0.rotations_table", "encoders.1.pos", "encoders.1.mean",
                  "encoders.1.norm.weight", "encoders.1.norm.bias", "encoders.1.positions_table",
                  "encoders.1.rotations_table", "head.weight", "head.bias", "grid_table"));
  EXPECT_EQ(TensorIndex(0, tables), 0);
  EXPECT_EQ(TensorIndex(5, tables), 7);
  EXPECT_EQ(TensorIndex(9, tables), 13);
}

TEST(SizeTablesTest, AModelMayHaveNone) {
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildTables(kTableModules, "Norm(4)"));
  EXPECT_THAT(SizeTables(tree), IsEmpty());
  EXPECT_THAT(TensorNames(tree, {}), ElementsAre("weight", "bias"));
  EXPECT_EQ(TensorIndex(1, {}), 1);
}

TEST(SizeTablesTest, ThePluginListsMethodsOnce) {
  EXPECT_THAT(BuildTables("modules:\n  Net(dim):\n    size_tables: [a, a]\n", "Net(4)"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"size_tables\" lists \"a\" twice")));
  EXPECT_THAT(BuildTables("modules:\n  Net(dim):\n    size_tables: [a-b]\n", "Net(4)"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("modules.yaml:3")));
}

}  // namespace
}  // namespace modelport
