#ifndef MODELPORT_BENCH_WRITTEN_OUT_H_
#define MODELPORT_BENCH_WRITTEN_OUT_H_

#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Replaces the operator scaled_dot_product_attention in all methods of `module` and its submodules by what DINOv2's
// Attention writes out: two products, and between them the softmax of all weights at once. For calls without a mask,
// as all models of upstream_models.json have them. Throws c10::Error.
void WriteOutAttention(const torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_BENCH_WRITTEN_OUT_H_
