#ifndef MODELPORT_COMMON_SCRIPT_OPERATOR_NAMES_H_
#define MODELPORT_COMMON_SCRIPT_OPERATOR_NAMES_H_

#include <string>
#include <vector>

namespace modelport {

// The names of the operators that LibTorch has in the namespace aten, "relu" for one, sorted; without its internal
// ones, which begin with _.
const std::vector<std::string>& OperatorNames();

}  // namespace modelport

#endif  // MODELPORT_COMMON_SCRIPT_OPERATOR_NAMES_H_
