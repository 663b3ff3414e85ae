// The operators of the LibTorch releases that artifacts are made for, measured with tools/runtime_tables and embedded.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_OPERATOR_TABLE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_OPERATOR_TABLE_H_

#include <ATen/core/function_schema.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/graph_operators.h"

namespace modelport {

// Names of the releases, oldest first: "1.6", "1.12", ...
std::vector<std::string> OperatorTableRuntimes();

// The signatures under which `runtime` registers `name` ("aten::slice"). Overload names and results are left out; a
// signature with a type that this LibTorch does not know is left out, since no module in it can hold such a value.
std::vector<c10::FunctionSchema> RegisteredSchemas(absl::string_view runtime, absl::string_view name);

// Answers hasattr(torch, "NAME") in text that is compiled for `runtime` or, if that is null, for this LibTorch.
HasOperator OperatorsOf(const Runtime* runtime);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_OPERATOR_TABLE_H_
