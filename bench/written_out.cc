#include "bench/written_out.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/passes/subgraph_rewrite.h>

namespace modelport {
namespace {

constexpr char kOperator[] = R"(
graph(%q, %k, %v, %mask, %dropout, %causal, %scale, %grouped):
  %result = aten::scaled_dot_product_attention(%q, %k, %v, %mask, %dropout, %causal, %scale, %grouped)
  return (%result))";

constexpr char kWrittenOut[] = R"(
graph(%q, %k, %v, %mask, %dropout, %causal, %scale, %grouped):
  %last : int = prim::Constant[value=-1]()
  %last_but_one : int = prim::Constant[value=-2]()
  %power : float = prim::Constant[value=-0.5]()
  %none : NoneType = prim::Constant()
  %channels : int = aten::size(%q, %last)
  %factor : float = aten::pow(%channels, %power)
  %queries : Tensor = aten::mul(%q, %factor)
  %keys : Tensor = aten::transpose(%k, %last_but_one, %last)
  %scores : Tensor = aten::matmul(%queries, %keys)
  %weights : Tensor = aten::softmax(%scores, %last, %none)
  %result : Tensor = aten::matmul(%weights, %v)
  return (%result))";

}  // namespace

void WriteOutAttention(const torch::jit::Module& module) {
  torch::jit::SubgraphRewriter rewriter;
  rewriter.RegisterRewritePattern(kOperator, kWrittenOut);
  for (const torch::jit::Module& part : module.modules()) rewriter.runOnModule(part);
}

}  // namespace modelport
