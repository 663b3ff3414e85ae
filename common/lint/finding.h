#ifndef MODELPORT_COMMON_LINT_FINDING_H_
#define MODELPORT_COMMON_LINT_FINDING_H_

#include <string>
#include <vector>

#include "common/script/source_line.h"

namespace modelport {

// Something in a TorchScript file that breaks in the host it is for.
struct Finding {
  std::vector<std::string> modules;  // Paths of those that have it, "" for the root.
  SourceLine line = {};              // Empty where no line is to blame, as for an attribute.
  std::string message;
  std::string cure;
  std::string rule = {};  // "half".
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_FINDING_H_
