// Facts about the nodes of a graph that compute nothing: they put values into tuples, lists and dictionaries, take them
// out, or test whether they are None.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_VALUE_FACTS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_VALUE_FACTS_H_

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/fact_pool.h"

namespace modelport {

// Whether `node` is such a node, or has no schema that lists its inputs and outputs.
bool HandlesValues(const torch::jit::Node& node);

// The facts about the outputs of such a node. `inputs` must be facts of `pool`, and so are the results.
std::vector<FactPtr> ValueFacts(const torch::jit::Node& node, const std::vector<FactPtr>& inputs, FactPool& pool);

// Whether such a node puts its other inputs into its first input, as aten::append does.
bool FillsContainer(const torch::jit::Node& node);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_VALUE_FACTS_H_
