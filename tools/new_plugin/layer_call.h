#ifndef MODELPORT_TOOLS_NEW_PLUGIN_LAYER_CALL_H_
#define MODELPORT_TOOLS_NEW_PLUGIN_LAYER_CALL_H_

#include <string>

#include "absl/types/optional.h"
#include "tools/draft/key_tree.h"
#include "tools/new_plugin/sized_text.h"

namespace modelport {

// A module type of the family `layers` with the tensors of a module.
struct LayerCall {
  SizedText call;              // "Conv2d(3, 64, kernel=7, bias=0)".
  std::string note;            // What the shapes do not tell: "stride? padding? groups?"; may be empty.
  bool lacks_counter = false;  // The type has a buffer num_batches_tracked, and the module has not.
};

// The layer whose tensors, names and shapes are those of `module`; nullopt if there is none. Where several fit, as
// LayerNorm and GroupNorm, it is the usual one, and the note names another.
absl::optional<LayerCall> FindLayer(const KeyNode& module);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_NEW_PLUGIN_LAYER_CALL_H_
