#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_MISSING_MEMBER_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_MISSING_MEMBER_H_

#include <ATen/core/jit_type.h>

#include <string>

#include "absl/strings/string_view.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// The message about a member `name` that the class `type`, made for `node`, does not have. `object` is the text that
// stands for the module: "self.layer1".
//   BasicBlock has no member bn4; nearest: bn2
//   bn3 exists only where `when: down` holds (models/toy/modules.yaml:7:7); absent in layer1.0: guard with
//   hasattr(self, "bn3")
//   layer1 is a list of modules, without a member bn2: loop over it or index it, self.layer1[0].bn2
std::string MissingMember(const ModuleNode& node, const c10::ClassType& type, absl::string_view name,
                          absl::string_view object);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_MISSING_MEMBER_H_
