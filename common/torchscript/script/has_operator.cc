#include "common/torchscript/script/has_operator.h"

#include <torch/csrc/jit/runtime/operator.h>

namespace modelport {

bool CompilerHasOperator(const std::string& name) {
  return !torch::jit::getAllOperatorsFor(c10::Symbol::aten(name)).empty();
}

}  // namespace modelport
