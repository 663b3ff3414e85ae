// What the lint knows about operators by their names ("aten::linear") beyond what their schemas tell.
#ifndef MODELPORT_COMMON_LINT_OPERATOR_KINDS_H_
#define MODELPORT_COMMON_LINT_OPERATOR_KINDS_H_

#include "absl/strings/string_view.h"

namespace modelport {

// Refuses tensors of different floating dtypes, where other operators convert.
bool WantsOneDtype(absl::string_view name);

// Takes tensors of two devices.
bool TakesTwoDevices(absl::string_view name);

// Has no kernel for float16, on a GPU neither.
bool LacksHalf(absl::string_view name);

// Gives integers or truth values, whatever it is given.
bool GivesIntegers(absl::string_view name);

// Gives elements of its first tensor, so that dtype and device are that one's; the others say which.
bool PicksElements(absl::string_view name);

// Makes integers of integers, float32 of other numbers; other factories make float32 always.
bool TakesDtypeOfNumbers(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_OPERATOR_KINDS_H_
