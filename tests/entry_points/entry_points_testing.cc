#include "tests/entry_points/entry_points_testing.h"

#include <ATen/ops/linspace.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <utility>

#include "artifact/build/target_tree.h"
#include "artifact/request/artifact_request.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/proof/check_entry_points.h"
#include "common/torchscript/script/torch_status.h"
#include "models/built_in_plugins.h"
#include "tests/support/exported_module.h"

namespace modelport {

void EntryPointsTest::SetUp() {
  auto registry = Registry::Load(BuiltInPlugins(), {"models"});
  ASSERT_OK(registry);
  registry_ = std::make_unique<Registry>(*std::move(registry));
}

void EntryPointsTest::Export(const std::string& model, bool with_preprocess, DType dtype, const std::string& set) {
  const absl::StatusOr<CatalogEntry> entry = registry_->Find(model);
  ASSERT_OK(entry);
  ArtifactRequest request = {.entry = *entry, .with_preprocess = with_preprocess};
  if (!set.empty()) {
    ASSERT_OK(SetArguments(set, request));
  }
  const auto tree = BuildTargetTree(request);
  ASSERT_OK(tree);
  entry_points_ = tree->whole->entry_points;
  auto module = ExportSeeded(*registry_, model, /*seed=*/0, [&](ExportOptions& options) {
    options.request.dtype = dtype;
    options.request.with_preprocess = with_preprocess;
    options.request.entry = request.entry;
    options.request.arguments = request.arguments;
    options.request.changed = request.changed;
  });
  ASSERT_OK(module);
  module_ = std::make_shared<torch::jit::Module>(*std::move(module));
}

absl::Status EntryPointsTest::Call(const std::string& method, const std::vector<c10::IValue>& inputs) {
  const c10::InferenceMode inference;
  const EntryPoint* const entry_point = FindEntryPoint(entry_points_, method);
  if (entry_point == nullptr) return absl::NotFoundError(method);
  const auto result = CatchTorch([&] { return module_->get_method(method)(inputs); });
  if (!result.ok()) return result.status();
  return CheckResult(*module_, *entry_point, method, inputs, *result);
}

at::Tensor EntryPointsTest::Image(const std::vector<int64_t>& shape, at::ScalarType dtype) {
  at::Tensor image = at::linspace(-1, 1, 3 * shape[shape.size() - 2] * shape.back());
  return image.reshape({3, shape[shape.size() - 2], shape.back()}).expand(shape).contiguous().to(dtype);
}

}  // namespace modelport
