#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "targets/nuke/rules.h"

namespace modelport {

void CheckBoolAttributes(const torch::jit::Module& module, std::vector<Finding>& findings) {
  const c10::ClassType& type = *module.type();
  for (size_t i = 0; i < type.numAttributes(); ++i) {
    const std::string& name = type.getAttributeName(i);
    if (type.getAttribute(i)->kind() != c10::TypeKind::BoolType || name == "training") continue;
    findings.push_back({.modules = {""},
                        .message = absl::StrCat("attribute ", name, " is a bool, which knobs cannot set"),
                        .cure = absl::StrCat("make it an int: ", name, ": int = 0, and ask if self.", name, " != 0")});
  }
}

}  // namespace modelport
