// The message about a checkpoint that does not fit a model.
#ifndef MODELPORT_COMMON_KEYMAP_FIT_ERROR_H_
#define MODELPORT_COMMON_KEYMAP_FIT_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/keymap/comparison.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// FailedPrecondition with every problem of `comparison`, grouped:
//   small.pth: does not fit model_small (layout original): 1 of 175 keys missing, 1 unexpected
//     missing: blocks.11.ls2.gamma [384]; nearest in the file: blocks.11.ls2.gama
//     unexpected: blocks.11.ls2.gama [384]
absl::Status FitError(absl::string_view path, absl::string_view model, const ModuleTree& tree,
                      const Comparison& comparison);

// Suggests changes of the key map that would remove differences of `comparison`, which was made with `tree`. Each is an
// indented line after a newline; empty if there are none. It looks for:
//   - a prefix that all unexpected keys share, if at least half of them are missing keys without it
//   - unexpected keys that are counters of BatchNorm
//   - rules of `unused` and `missing` that match nothing, if there are unexpected or missing keys
std::string FitHints(const ModuleTree& tree, const Comparison& comparison);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_FIT_ERROR_H_
