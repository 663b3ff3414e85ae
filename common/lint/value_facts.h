// The nodes of a graph that compute nothing: they put values into tuples, lists and dictionaries, take them out, or ask
// whether they are None.
#ifndef MODELPORT_COMMON_LINT_VALUE_FACTS_H_
#define MODELPORT_COMMON_LINT_VALUE_FACTS_H_

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "common/lint/fact.h"
#include "common/lint/fact_pool.h"

namespace modelport {

// True for such a node, and for every other one whose schema, if it has any, does not name its inputs and outputs.
bool HandlesValues(const torch::jit::Node& node);

// What is known of the outputs of such a node. `inputs` are of `pool`, and so is the result.
std::vector<FactPtr> ValueFacts(const torch::jit::Node& node, const std::vector<FactPtr>& inputs, FactPool& pool);

// True if such a node puts its inputs into the first of them, as aten::append does.
bool FillsContainer(const torch::jit::Node& node);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_VALUE_FACTS_H_
