#ifndef MODELPORT_TOOLS_NEW_PLUGIN_SIZED_TEXT_H_
#define MODELPORT_TOOLS_NEW_PLUGIN_SIZED_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

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

}  // namespace modelport

#endif  // MODELPORT_TOOLS_NEW_PLUGIN_SIZED_TEXT_H_
