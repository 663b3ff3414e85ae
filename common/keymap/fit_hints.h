#ifndef MODELPORT_COMMON_KEYMAP_FIT_HINTS_H_
#define MODELPORT_COMMON_KEYMAP_FIT_HINTS_H_

#include <string>

#include "common/keymap/comparison.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// How a key map may have to be mended for what `comparison` with `tree` found, an indented line each, which a newline
// begins; empty if nothing explains it:
//   - a prefix that all unexpected keys share, without which at least half of them are missing keys
//   - unexpected keys that are counters of BatchNorm
//   - rules of `unused` and `missing` that match nothing while there are unexpected or missing keys
std::string FitHints(const ModuleTree& tree, const Comparison& comparison);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_FIT_HINTS_H_
