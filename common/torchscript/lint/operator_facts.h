#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_OPERATOR_FACTS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_OPERATOR_FACTS_H_

#include <vector>

#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/step.h"

namespace modelport {

// The facts about the outputs of `step`. Every dtype and device that the call fixes is added to `fixed_options`.
std::vector<Fact> OutputFacts(const Step& step, std::vector<FixedOptionPtr>& fixed_options);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_OPERATOR_FACTS_H_
