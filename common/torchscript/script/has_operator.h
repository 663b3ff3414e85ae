#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_HAS_OPERATOR_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_HAS_OPERATOR_H_

#include <functional>
#include <string>

namespace modelport {

// Whether the runtime that text is compiled for has the operator aten::`name`.
using HasOperator = std::function<bool(const std::string& name)>;

// The HasOperator of the LibTorch that this program is linked to.
bool CompilerHasOperator(const std::string& name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_HAS_OPERATOR_H_
