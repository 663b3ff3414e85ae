// Which modules of two exports are not the same.
#ifndef MODELPORT_TESTS_PARITY_DIFFERENT_MODULES_H_
#define MODELPORT_TESTS_PARITY_DIFFERENT_MODULES_H_

#include <set>
#include <string>

#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// The paths of the modules of `a` and `b` that differ in their methods' text, the functions that these call, their
// settings or their tensors, and of those that one of the two lacks, with the modules around them. "" is the root.
std::set<std::string> DifferentModules(const torch::jit::Module& a, const torch::jit::Module& b);

}  // namespace modelport

#endif  // MODELPORT_TESTS_PARITY_DIFFERENT_MODULES_H_
