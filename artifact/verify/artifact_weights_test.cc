#include "artifact/verify/artifact_weights.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "artifact/build/target_module.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/module_tree/size_tables.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/tensor/image_size.h"
#include "common/torchscript/archive/artifact_file.h"
#include "common/torchscript/script/build_module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "registry/target_tree.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using torch::jit::Module;

constexpr char kTableModules[] = R"yaml(modules:
  Embedding():
    parameters: {weight: [1]}
    size_tables: [places]
    methods: |
      def places(self, height: int, width: int) -> Tensor:
        return self.weight * torch.arange(1, 1 + height * width, dtype=torch.float32)
  Net():
    children: {a: Embedding(), b: Embedding()}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.a.places(x.shape[0], x.shape[1]) + self.b.places(x.shape[0], x.shape[1])
)yaml";

// Net for images of 2 x 3.
absl::StatusOr<std::pair<TargetTree, Module>> SmallNet() {
  const auto library = std::make_shared<ModuleLibrary>();
  RETURN_IF_ERROR(library->AddFile({"m.yaml", kTableModules}));
  ASSIGN_OR_RETURN(const Call call, ParseCall("Net()"));
  ASSIGN_OR_RETURN(ModuleTree built, BuildModuleTree(library, call));
  TargetTree tree;
  tree.whole = std::make_shared<const ModuleTree>(std::move(built));
  tree.static_shape = ImageSize{2, 3};
  tree.tables = SizeTables(*tree.whole);
  ASSIGN_OR_RETURN(Module module, BuildModule(*tree.whole, {at::ones({1}), at::ones({1}) * 2}));
  RETURN_IF_ERROR(FixSize(tree.tables, *tree.static_shape, module));
  return std::make_pair(std::move(tree), std::move(module));
}

at::Tensor TableOfB(const Module& module) { return module.attr("b").toModule().attr("places_table").toTensor(); }

TEST(StoredTablesTest, EachModuleHasItsOwnTable) {
  ASSERT_OK_AND_ASSIGN(const auto net, SmallNet());
  const Module& module = net.second;
  EXPECT_EQ(module.attr("a").toModule().attr("places_table").toTensor()[5].item().toDouble(), 6);
  EXPECT_EQ(TableOfB(module)[5].item().toDouble(), 12);
  EXPECT_EQ(module.get_method("forward")({at::ones({2, 3})}).toTensor()[5].item().toDouble(), 18);
}

// LibTorch names the folder of the records after the file.
TEST(StoredTablesTest, AStoredTableMayDifferByRounding) {
  ASSERT_OK_AND_ASSIGN(const auto net, SmallNet());
  const std::string path = testing::TempDir() + "/archive.pt";
  TableOfB(net.second)[5] += 1e-6;
  net.second.save(path);
  TableOfB(net.second)[5] -= 1e-6;
  ASSERT_OK_AND_ASSIGN(const ArtifactFile file, ArtifactFile::Open(path));
  ASSERT_OK_AND_ASSIGN(const double difference, TakeStoredTables(file, net.first, net.second));
  EXPECT_GT(difference, 0);
  EXPECT_GT(TableOfB(net.second)[5].item().toDouble(), 12);
}

TEST(StoredTablesTest, AnAlteredTableIsAnError) {
  ASSERT_OK_AND_ASSIGN(const auto net, SmallNet());
  const std::string path = testing::TempDir() + "/archive.pt";
  for (const double alteration : {0.001, std::numeric_limits<double>::quiet_NaN()}) {
    const at::Tensor right = TableOfB(net.second).clone();
    TableOfB(net.second)[5] += alteration;
    net.second.save(path);
    TableOfB(net.second).copy_(right);
    ASSERT_OK_AND_ASSIGN(const ArtifactFile file, ArtifactFile::Open(path));
    EXPECT_THAT(TakeStoredTables(file, net.first, net.second),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("b.places_table: is not the table of 2x3")));
  }
}

}  // namespace
}  // namespace modelport
