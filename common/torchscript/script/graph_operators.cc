#include "common/torchscript/script/graph_operators.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <set>

namespace modelport {

const std::vector<std::string>& OperatorNames() {
  static const auto* names = [] {
    std::set<std::string> sorted;
    for (const auto& known : torch::jit::getAllOperators()) {
      const std::string& name = known->schema().name();
      if (name.rfind("aten::", 0) == 0 && name.rfind("aten::_", 0) != 0) sorted.insert(name.substr(6));
    }
    return new std::vector<std::string>(sorted.begin(), sorted.end());
  }();
  return *names;
}

bool CompilerHasOperator(const std::string& name) {
  return !torch::jit::getAllOperatorsFor(c10::Symbol::aten(name)).empty();
}

}  // namespace modelport
