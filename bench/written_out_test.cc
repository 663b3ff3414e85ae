#include "bench/written_out.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/rand.h>
#include <torch/csrc/jit/api/module.h>

#include <string>

#include "gtest/gtest.h"

namespace modelport {
namespace {

// A module whose submodule attends.
torch::jit::Module Attending() {
  torch::jit::Module part("part"), whole("whole");
  part.define(R"(
def forward(self, q, k, v):
  return torch.scaled_dot_product_attention(q, k, v)
)");
  whole.register_module("part", part);
  whole.define(R"(
def forward(self, q, k, v):
  return self.part.forward(q, k, v)
)");
  return whole;
}

TEST(WrittenOutTest, ReplacesTheOperatorInSubmodules) {
  const at::Tensor q = at::rand({2, 3, 5, 8}), k = at::rand({2, 3, 7, 8}), v = at::rand({2, 3, 7, 8});
  torch::jit::Module module = Attending();
  const at::Tensor expected = module.forward({q, k, v}).toTensor();
  module = Attending();
  WriteOutAttention(module);
  const std::string code = module.attr("part").toModule().get_method("forward").graph()->toString();
  EXPECT_EQ(code.find("scaled_dot_product_attention"), std::string::npos) << code;
  EXPECT_TRUE(at::allclose(module.forward({q, k, v}).toTensor(), expected, 1e-5, 1e-6));
}

}  // namespace
}  // namespace modelport
