#include "tools/print_checkpoint.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "common/source/take.h"
#include "common/source/zeros.h"
#include "gtest/gtest.h"

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
      {"", {Tensor("norm.weight", DType::kFloat32, {384}), Tensor("count", DType::kInt64, {})}, {}});
  contents.state_dicts.push_back({"ema", {Tensor("w", DType::kFloat16, {2, 3})}, {"model", "teacher"}});
  contents.loose.push_back({"buffers", "a list", 1, 2});
  std::ostringstream out;
  PrintContents(Checkpoint(std::move(contents)), out);
  EXPECT_EQ(out.str(),
            "c.pth: torch.save (zip), 1.50 kB\n"
            "  metadata format: pt\n"
            "\nstate dict at the root: 2 tensors (1 float32, 1 int64), 385 elements\n"
            "  norm.weight  float32  [384]\n"
            "  count        int64    []\n"
            "\nstate dict \"ema\", also model, teacher: 1 tensors (1 float16), 6 elements\n"
            "  w  float16  [2, 3]\n"
            "\nbeside the state dicts\n"
            "  buffers is a list: 1 tensor, 2 elements\n");
}

std::string Fit(const std::vector<std::string>& fitting, const absl::optional<NearestVariant>& nearest) {
  std::ostringstream out;
  PrintFit(fitting, nearest, out);
  return out.str();
}

TEST(PrintFitTest, NamesTheModelsOrTheNearest) {
  EXPECT_EQ(Fit({"dav2_vits", "dav2_metric_hypersim_vits"}, absl::nullopt),
            "\nfits dav2_vits, dav2_metric_hypersim_vits\n");
  EXPECT_EQ(Fit({}, absl::nullopt), "\nfits no model of the catalog\n");
  EXPECT_EQ(Fit({}, NearestVariant{"dav2_vits", "(layout original): 1 of 247 keys missing"}),
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
  plan.sources = {taken, Zeros{{2}, DType::kFloat32, "used with masks only"}, taken};
  plan.aliases = {{"head.weight", "fc.weight"}};
  plan.unused = {{"loss.weight", "of training"}};
  plan.left_out = {{"student", 3, 12}};
  std::ostringstream out;
  PrintPlan(plan, tree, "toy", out);
  EXPECT_EQ(out.str(),
            "\nfits toy: layout original, state dict \"teacher\", 2 of 3 slots filled\n"
            "  zeros: mask_token (used with masks only)\n"
            "  shared: head.weight is stored as fc.weight\n"
            "  unused: loss.weight (of training)\n"
            "  left out: student (3 tensors)\n");
}

}  // namespace
}  // namespace modelport
