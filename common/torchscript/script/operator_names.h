#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_OPERATOR_NAMES_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_OPERATOR_NAMES_H_

#include <string>
#include <vector>

namespace modelport {

// The names of LibTorch's operators in the namespace aten, such as "relu", sorted. Internal operators, whose names
// begin with _, are left out.
const std::vector<std::string>& OperatorNames();

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_OPERATOR_NAMES_H_
