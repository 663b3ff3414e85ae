#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_FINDING_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_FINDING_H_

#include <string>
#include <vector>

#include "common/torchscript/script/source_line.h"

namespace modelport {

// Something in a TorchScript file that does not work in the host that the file is for.
struct Finding {
  std::vector<std::string> modules;  // The paths of the modules that have it; "" is the root.
  SourceLine line = {};              // It is empty if no line causes the finding, as for an attribute.
  std::string message;
  std::string cure;
  std::string rule = {};  // Such as "half".
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_FINDING_H_
