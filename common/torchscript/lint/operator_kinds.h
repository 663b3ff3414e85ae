// Facts about operators, by their names ("aten::linear"), that their schemas do not state.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_OPERATOR_KINDS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_OPERATOR_KINDS_H_

#include "absl/strings/string_view.h"

namespace modelport {

// Refuses tensors of different floating dtypes; other operators convert them.
bool WantsOneDtype(absl::string_view name);

// Accepts tensors on different devices.
bool TakesTwoDevices(absl::string_view name);

// Has no float16 kernel, neither on a CPU nor on a GPU.
bool LacksHalf(absl::string_view name);

// Returns integers or bools for inputs of any dtype.
bool GivesIntegers(absl::string_view name);

// Returns elements of its first tensor, and so has the dtype and device of that tensor. The other tensors select the
// elements.
bool PicksElements(absl::string_view name);

// Makes an integer tensor from integers and a float32 tensor from other numbers. Other factories always make float32.
bool TakesDtypeOfNumbers(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_OPERATOR_KINDS_H_
