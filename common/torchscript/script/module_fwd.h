// Declares types of LibTorch for headers that only pass or return them. Sources that use Module include its definition,
// torch/csrc/jit/api/module.h, which costs each compilation 6 s.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_MODULE_FWD_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_MODULE_FWD_H_

namespace torch::jit {
struct Module;
struct SourceRange;
}  // namespace torch::jit

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_MODULE_FWD_H_
