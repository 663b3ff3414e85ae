// Collects the operators that a module's code calls and their arguments, which decide which LibTorch releases can load
// it.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_OPERATORS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_OPERATORS_H_

#include <ATen/core/jit_type.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/torchscript/script/module_fwd.h"
#include "common/torchscript/script/source_line.h"

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

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_OPERATORS_H_
