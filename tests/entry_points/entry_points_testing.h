#ifndef MODELPORT_TESTS_ENTRY_POINTS_ENTRY_POINTS_TESTING_H_
#define MODELPORT_TESTS_ENTRY_POINTS_ENTRY_POINTS_TESTING_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/module_tree/entry_point.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/script/module_fwd.h"
#include "gtest/gtest.h"
#include "registry/registry.h"

namespace modelport {

// Calls methods of test models, and compares the results with what the plugins state of their entry points.
class EntryPointsTest : public testing::Test {
 protected:
  void SetUp() override;

  // Exports `model` with weights of `dtype` and, as --set takes them, other arguments.
  void Export(const std::string& model, bool with_preprocess, DType dtype = DType::kFloat32,
              const std::string& set = "");

  // Calls `method` of the exported model and compares the result with what the plugin states.
  absl::Status Call(const std::string& method, const std::vector<c10::IValue>& inputs);

  // An image [..., 3, height, width], with values from -1 to 1.
  static at::Tensor Image(const std::vector<int64_t>& shape, at::ScalarType dtype = at::kFloat);

 private:
  std::unique_ptr<Registry> registry_;
  std::shared_ptr<torch::jit::Module> module_;  // A pointer, so that tests compile without the definition.
  std::vector<EntryPoint> entry_points_;
};

}  // namespace modelport

#endif  // MODELPORT_TESTS_ENTRY_POINTS_ENTRY_POINTS_TESTING_H_
