// The rules of the lint, a file each or a file for a group. A new rule is a function here and a row in lint.cc.
#ifndef MODELPORT_COMMON_LINT_RULES_H_
#define MODELPORT_COMMON_LINT_RULES_H_

#include <torch/csrc/jit/api/module.h>

#include <vector>

#include "common/lint/finding.h"
#include "common/lint/trace.h"
#include "common/runtime/archive_format.h"
#include "common/runtime/operators.h"
#include "common/runtime/runtime.h"

namespace modelport {

// What a rule looks at.
struct LintSubject {
  const torch::jit::Module& module;
  const Trace& trace;                      // Of its forward.
  const std::vector<Operator>& operators;  // Of all its methods.
  const ArchiveFormat& format;             // Of its file.
  const Runtime* runtime;                  // The one that is asked for; may be null.
};

// Rules add what they find. Their caller fills in Finding::rule. A finding may come more than once.

// Every attribute can be saved again, as converting a .pt to a .cat does, and is of a type that all runtimes know.
void CheckAttributeTypes(const LintSubject& subject, std::vector<Finding>& findings);

// No device is written out in the code that forward reaches, and no tensor that is made on the CPU, or that the host
// leaves there, meets the input or the weights.
void CheckDevices(const LintSubject& subject, std::vector<Finding>& findings);

// In half precision, that is with float16 input and weights, no operator that refuses mixed dtypes gets a tensor whose
// dtype the code fixes together with one of the input's or the weights' dtype, and none is called that has no float16
// kernel. A cast that is undone before such an operator is fine. The limits are those of TraceForward; beyond these,
// how far float16 is precise enough is not looked at.
void CheckHalf(const LintSubject& subject, std::vector<Finding>& findings);

// No parameter, buffer, constant or cast is float64. Python's floats and tensors without dimensions do no harm.
void CheckFloat64(const LintSubject& subject, std::vector<Finding>& findings);

// Nothing that forward calls writes into its input's memory, which is the host's.
void CheckInPlaceWrites(const LintSubject& subject, std::vector<Finding>& findings);

// The runtime loads the file and computes the same; nothing if none is asked for.
void CheckRuntimeObstacles(const LintSubject& subject, std::vector<Finding>& findings);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_RULES_H_
