#ifndef MODELPORT_COMMON_KEYMAP_FIT_HINTS_H_
#define MODELPORT_COMMON_KEYMAP_FIT_HINTS_H_

#include <string>

#include "common/keymap/comparison.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// Suggests changes of the key map that would remove differences of `comparison`, which was made with `tree`. Each is an
// indented line after a newline; empty if there are none. It looks for:
//   - a prefix that all unexpected keys share, if at least half of them are missing keys without it
//   - unexpected keys that are counters of BatchNorm
//   - rules of `unused` and `missing` that match nothing, if there are unexpected or missing keys
std::string FitHints(const ModuleTree& tree, const Comparison& comparison);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_FIT_HINTS_H_
