// The operators that a module's code calls, with their arguments, and those that LibTorch's releases have: together
// they decide which releases can load it, and this finds what keeps one from it.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_OPERATORS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_OPERATORS_H_

#include <ATen/core/jit_type_base.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/graph_operators.h"
#include "common/torchscript/script/module_fwd.h"

namespace c10 {
struct FunctionSchema;
}  // namespace c10

namespace modelport {

// One way of calling an operator, as the code of an archive writes it: trailing arguments that have their default are
// left out, keyword-only ones are named.
struct OperatorCall {
  struct Argument {
    std::string keyword;  // Empty: by position.
    c10::TypePtr type;
  };
  // A line of code that makes the call, and the modules whose code has that line.
  struct Place {
    SourceLine line;
    std::vector<std::string> modules;  // Paths, in the module tree's order; "" is the root.
  };
  std::string text;  // "aten::slice(Tensor, int, NoneType, int)".
  std::vector<Argument> arguments;
  std::vector<Place> places;
};

struct Operator {
  std::string name;                 // "aten::slice".
  std::string overload;             // "Tensor"; may be empty.
  uint32_t version = 0;             // The archive version that last changed its meaning; 0: none did.
  std::vector<OperatorCall> calls;  // Each call with other arguments once.
};

// A class of LibTorch that is written in C++, under torch.classes.
struct NativeClass {
  std::string name;  // "quantized.Conv2dPackedParamsBase".
  SourceLine place;  // A line of code that makes or calls an object of it.
};

// What code of a module can call.
struct ModuleCalls {
  std::vector<Operator> operators;          // Sorted by name and overload.
  std::vector<NativeClass> native_classes;  // Whose objects it makes or calls, sorted by name.
};

// Collects the calls in the methods of `module` and those of its submodules, in the functions that they call, and in
// the methods of every object that they make or that an attribute holds.
ModuleCalls CollectCalls(const torch::jit::Module& module);

// Its operators alone.
std::vector<Operator> CollectOperators(const torch::jit::Module& module);

// The version of the LibTorch that this program is linked with: "2.13.0".
absl::string_view LibTorchVersion();

// The operators of the LibTorch releases that artifacts are made for, measured with tools/runtime_tables and embedded.

// Names of the releases, oldest first: "1.6", "1.12", ...
std::vector<std::string> OperatorTableRuntimes();

// The signatures under which `runtime` registers `name` ("aten::slice"). Overload names and results are left out; a
// signature with a type that this LibTorch does not know is left out, since no module in it can hold such a value.
std::vector<c10::FunctionSchema> RegisteredSchemas(absl::string_view runtime, absl::string_view name);

// Answers hasattr(torch, "NAME") in text that is compiled for `runtime` or, if that is null, for this LibTorch.
HasOperator OperatorsOf(const Runtime* runtime);

// One reason why a runtime cannot load an archive, or would compute something else with it.
struct RuntimeObstacle {
  std::string call;                         // "aten::pad(Tensor, List[int])"; empty: the archive's format.
  std::string cause;                        // "LibTorch 1.6 does not have it".
  std::vector<OperatorCall::Place> places;  // Where the call is made.
};

// All reasons why `runtime` cannot load an archive of this format and these operators, or would compute something else.
std::vector<RuntimeObstacle> FindObstacles(const Runtime& runtime, const ArchiveFormat& format,
                                           const std::vector<Operator>& operators);

// OK if FindObstacles finds nothing.
//   FailedPrecondition  names the obstacles with their lines and modules, and the oldest runtime that has none
absl::Status CheckRuntime(const Runtime& runtime, const ArchiveFormat& format, const std::vector<Operator>& operators);

// The name of the oldest runtime without obstacles; empty if every runtime has some.
std::string MinimumRuntime(const ArchiveFormat& format, const std::vector<Operator>& operators);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_OPERATORS_H_
