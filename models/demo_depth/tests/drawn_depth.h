// Drawn scenes with their exact depth, and how near a prediction comes.
#ifndef MODELPORT_MODELS_DEMO_DEPTH_TESTS_DRAWN_DEPTH_H_
#define MODELPORT_MODELS_DEMO_DEPTH_TESTS_DRAWN_DEPTH_H_

#include <ATen/core/Tensor.h>

#include <ostream>
#include <vector>

#include "absl/types/span.h"
#include "tools/image/picture.h"

namespace modelport {

struct DrawnScene {
  Picture picture;
  std::vector<float> depth;  // In metres, row by row.
};

// The error, as Accuracy has it, of a Nuke artifact of demo_depth on these scenes in float32. It sees the pixels as
// they are, padded to whole patches.
inline constexpr double kErrorInNuke = 0.093854;

// `count` scenes of so many pixels, whose seeds training never saw.
std::vector<DrawnScene> DrawScenes(int count, int width, int height);

// 20 scenes of 219 x 149 pixels.
const std::vector<DrawnScene>& DrawnScenes();

// The image [1, 3, H, W] in 0..1 that a host hands to an artifact.
at::Tensor HostImage(const Picture& picture);

// Over the pixels of all scenes that are nearer than the limit of depth.
class Accuracy {
 public:
  // Depths in metres, of one scene.
  void Add(absl::Span<const float> predicted, absl::Span<const float> exact);
  void Add(const at::Tensor& predicted, absl::Span<const float> exact);

  // Mean of |predicted - exact| / exact: AbsRel.
  double error() const { return error_ / pixels_; }
  // The part of the pixels whose depth is right within a factor of 1.25.
  double within() const { return within_ / pixels_; }
  friend void PrintTo(const Accuracy& accuracy, std::ostream* out) {
    *out << "AbsRel " << accuracy.error() << ", within 1.25 " << accuracy.within();
  }

 private:
  double pixels_ = 0, error_ = 0, within_ = 0;
};

}  // namespace modelport

#endif  // MODELPORT_MODELS_DEMO_DEPTH_TESTS_DRAWN_DEPTH_H_
