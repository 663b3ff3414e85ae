// The rules of the lint. A new rule is a function here and a row in lint.cc.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_RULES_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_RULES_H_

#include <set>
#include <string>
#include <vector>

#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/trace.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// The input of a rule.
struct LintSubject {
  const torch::jit::Module& module;
  const Trace& trace;                              // The trace of its forward.
  const std::vector<Operator>& operators;          // The operators of all its methods.
  const ArchiveFormat& format;                     // The format of its file.
  const Runtime* runtime;                          // The runtime of LintOptions; may be null.
  const std::set<std::string>& unknown_operators;  // Those of LintOptions.
};

// The comment of a rule says what it requires. A rule adds a finding for each violation, and may add the same finding
// more than once. The caller sets Finding::rule.

// Every attribute can be saved again, as converting a .pt to a .cat does, and is of a type that all runtimes know.
void CheckAttributeTypes(const LintSubject& subject, std::vector<Finding>& findings);

// The code that forward reaches names no device. No operator combines the input or the weights with a tensor that is
// made on the CPU or that the host leaves there.
void CheckDevices(const LintSubject& subject, std::vector<Finding>& findings);

// In half precision, that is, with float16 input and weights, no operator that refuses mixed dtypes combines a tensor
// whose dtype the code fixes with one that has the dtype of the input or the weights, and no operator without a float16
// kernel is called. A cast that is undone before such an operator is fine. The limits of TraceForward apply. This rule
// does not check whether float16 is precise enough.
void CheckHalf(const LintSubject& subject, std::vector<Finding>& findings);

// No parameter, buffer, constant or cast is float64. Python's floats and tensors without dimensions do no harm.
void CheckFloat64(const LintSubject& subject, std::vector<Finding>& findings);

// Nothing that forward calls writes into its input's memory, which is the host's.
void CheckInPlaceWrites(const LintSubject& subject, std::vector<Finding>& findings);

// The sizes that forward gives to what it makes of the image follow the image's: in a view, reshape or expand, in a
// resize before a result of fixed size, and in a table that is added. torch.jit.trace writes those of its example.
void CheckFixedSizes(const LintSubject& subject, std::vector<Finding>& findings);

// No operator computes with the integers of a quantised module, for which GPUs and half precision have no kernels.
void CheckQuantised(const LintSubject& subject, std::vector<Finding>& findings);

// Every operator is one of LibTorch.
void CheckUnknownOperators(const LintSubject& subject, std::vector<Finding>& findings);

// The runtime, if it is not null, loads the file and computes the same.
void CheckRuntimeObstacles(const LintSubject& subject, std::vector<Finding>& findings);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_RULES_H_
