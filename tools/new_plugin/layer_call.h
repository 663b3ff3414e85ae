#ifndef MODELPORT_TOOLS_NEW_PLUGIN_LAYER_CALL_H_
#define MODELPORT_TOOLS_NEW_PLUGIN_LAYER_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "tools/draft/key_tree.h"

namespace modelport {

// A text of YAML in which sizes stand that may become arguments of a module type: "Linear(384, 1152)". Texts of modules
// that differ in their sizes only have equal `text`.
struct SizedText {
  struct Size {
    std::string name;  // What the argument would be called: "inputs".
    int64_t value;

    friend bool operator==(const Size&, const Size&) = default;
  };

  std::string text = {};  // A byte 1 stands for each size.
  std::vector<Size> sizes = {};

  SizedText& Add(absl::string_view plain);
  SizedText& Add(const SizedText& other);
  SizedText& AddSize(absl::string_view name, int64_t value);

  // The text with `fillings` in the places of the sizes, as many as these.
  std::string Filled(const std::vector<std::string>& fillings) const;

  friend bool operator==(const SizedText&, const SizedText&) = default;
};

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
