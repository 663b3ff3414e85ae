// What a user means in an image: points and a box.
#ifndef MODELPORT_TOOLS_PREDICT_RUN_PROMPT_H_
#define MODELPORT_TOOLS_PREDICT_RUN_PROMPT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace modelport {

enum class PointKind { kBackground = 0, kForeground = 1, kBoxTopLeft = 2, kBoxBottomRight = 3 };

// A place in an image, in pixels right and down of its corner.
struct PromptPoint {
  double x;
  double y;
  PointKind kind;
};

// The corners of a box, if there is one, then points.
using Prompt = std::vector<PromptPoint>;

// The values of flags. A flag of points that is given several times has all of them: 200,150 is in what is meant,
// 200,150,0 is not.
struct PointsFlag {
  Prompt points = {};
};
// LEFT,TOP,RIGHT,BOTTOM.
struct BoxFlag {
  Prompt corners = {};
};
bool AbslParseFlag(absl::string_view text, PointsFlag* flag, std::string* error);
bool AbslParseFlag(absl::string_view text, BoxFlag* flag, std::string* error);
std::string AbslUnparseFlag(const PointsFlag& flag);
std::string AbslUnparseFlag(const BoxFlag& flag);

// InvalidArgument: a point lies outside of an image of `width` x `height` pixels.
absl::Status CheckInside(const Prompt& prompt, int width, int height);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_RUN_PROMPT_H_
