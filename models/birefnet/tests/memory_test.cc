// How much memory BiRefNet takes beside its weights, and that the argument `budget` bounds it.
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"

namespace modelport {
namespace {

// LibTorch's allocator, which counts the bytes that tensors have.
class CountingAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t size) override {
    void* const data = c10::GetDefaultCPUAllocator()->raw_allocate(size);
    const std::lock_guard<std::mutex> lock(mutex_);
    sizes_[data] = static_cast<int64_t>(size);
    held_ += static_cast<int64_t>(size);
    most_ = std::max(most_, held_);
    return {data, data, raw_deleter(), c10::DeviceType::CPU};
  }
  c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void* to, const void* from, size_t size) const override { default_copy_data(to, from, size); }

  void Free(void* data) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      held_ -= sizes_[data];
      sizes_.erase(data);
    }
    c10::GetDefaultCPUAllocator()->raw_deallocate(data);
  }

  // Begins to count.
  void Restart() {
    const std::lock_guard<std::mutex> lock(mutex_);
    before_ = most_ = held_;
  }
  // The most that were held at a time since then, beside what was held before.
  int64_t most() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return most_ - before_;
  }

 private:
  std::mutex mutex_;
  std::map<void*, int64_t> sizes_;
  int64_t held_ = 0, most_ = 0, before_ = 0;
};

CountingAllocator& Counting() {
  static auto* const allocator = new CountingAllocator;
  return *allocator;
}

c10::DeleterFnPtr CountingAllocator::raw_deleter() const {
  return [](void* data) { Counting().Free(data); };
}

// `model` with `changed`, such as "budget=1048576"; "" for the model as it is.
absl::StatusOr<ModuleTree> Build(const std::string& model, const std::string& changed) {
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(model));
  Call call = entry.variant->module;
  if (!changed.empty()) {
    ASSIGN_OR_RETURN(const Call arguments, ParseCall(absl::StrCat("BiRefNet(", changed, ")")));
    call.named.insert(call.named.end(), arguments.named.begin(), arguments.named.end());
  }
  return BuildModuleTree(entry.plugin->library, call);
}

// The most bytes of tensors, beside the weights, while that model runs on an image of `side` x `side`.
int64_t MostBytes(const std::string& model, const std::string& changed, int64_t side) {
  c10::SetCPUAllocator(&Counting(), /*priority=*/1);
  const c10::InferenceMode inference;
  const absl::StatusOr<ModuleTree> tree = Build(model, changed);
  EXPECT_THAT(tree, IsOk());
  std::vector<at::Tensor> weights;
  for (const Slot& slot : tree->slots) weights.push_back(at::full(slot.shape, 0.01));
  auto module = BuildModule(*tree, weights);
  EXPECT_THAT(module, IsOk());
  const at::Tensor image = at::zeros({1, 3, side, side});
  Counting().Restart();
  module->forward({image});
  const int64_t most = Counting().most();
  std::printf("%s, %lld x %lld: %.1f MB\n", model.c_str(), static_cast<long long>(side), static_cast<long long>(side),
              most / 1e6);
  return most;
}

// At 256 x 256 with a sixteenth of the budget every tensor has a sixteenth of its size at 1024 x 1024. birefnet has
// Swin-L, as all but birefnet_lite*.
TEST(BiRefNetMemory, IsBoundedByTheBudget) {
  for (const char* model : {"birefnet_lite", "birefnet"}) {
    const int64_t bounded = MostBytes(model, "budget=1048576", 256);
    EXPECT_LE(bounded, 50'000'000) << model;
    EXPECT_GE(MostBytes(model, "budget=1099511627776", 256), bounded + 20'000'000) << model;
  }
}

TEST(BiRefNetMemory, IsBoundedAt1024) { EXPECT_LE(MostBytes("birefnet_lite", "", 1024), 700'000'000); }

// These take eight minutes: //models/birefnet/tests:memory_at_full_size_test runs them.
TEST(BiRefNetMemory, DISABLED_OfSwinLIsBoundedAt1024) { EXPECT_LE(MostBytes("birefnet", "", 1024), 800'000'000); }
TEST(BiRefNetMemory, DISABLED_IsBoundedAt2048) {
  EXPECT_LE(MostBytes("birefnet_lite", "", 2048), 2'800'000'000);
  EXPECT_LE(MostBytes("birefnet", "", 2048), 3'200'000'000);
}

}  // namespace
}  // namespace modelport
