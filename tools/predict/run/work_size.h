// How many pixels of an image a model works on, which the time and the memory of a run follow.
#ifndef MODELPORT_TOOLS_PREDICT_RUN_WORK_SIZE_H_
#define MODELPORT_TOOLS_PREDICT_RUN_WORK_SIZE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {

// What the argument of a preprocessing that sets its resolution counts.
enum class SizeRule { kShorterSide, kLongerSide, kSquareSide, kTokens };

// The rule of the argument with this name, "process_res"; nullopt if it sets no resolution.
absl::optional<SizeRule> FindSizeRule(absl::string_view argument);

// Checks what an image of `width` x `height` pixels costs at `size`, by which `rule` tells the pixels that the model
// sees; without a `size` it is `usual`, where 0 is that of the image, whose longer side becomes a `size`.
//   ResourceExhausted  more than 20 megapixels or, without a `size`, more than 4 and more than a square one of the size
//                      `usual` has, as of a narrow strip whose shorter side becomes `usual`; says what that would cost,
//                      and which --size does
absl::Status CheckWorkSize(SizeRule rule, absl::optional<int64_t> size, int64_t usual, int width, int height);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_RUN_WORK_SIZE_H_
