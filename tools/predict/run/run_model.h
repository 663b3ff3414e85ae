#ifndef MODELPORT_TOOLS_PREDICT_RUN_RUN_MODEL_H_
#define MODELPORT_TOOLS_PREDICT_RUN_RUN_MODEL_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "tools/image/picture.h"
#include "tools/predict/run/load_artifact.h"
#include "tools/predict/run/prediction.h"
#include "tools/predict/run/prompt.h"

namespace modelport {

// The images that a model takes at once.
enum class ImagesTaken {
  kOne,
  kTwoFrames,  // Of which the second follows the first.
  kAround,     // A frame, then those around it that the interface of the manifest names.
  kViews,      // Of one scene, any number.
  kShot,       // Successive frames, any number.
};

ImagesTaken TakesImages(const LoadedArtifact& artifact);

// Whether a model of two frames is told a time between them.
bool TakesTimestep(const LoadedArtifact& artifact);

// What a model takes beside an image.
enum class Companion {
  kNone,
  kTrimap,       // Of the image's size: 0 is background, 1 or 255 foreground, what is between unknown.
  kCoarseDepth,  // In metres, of any size.
};

Companion TakesBeside(const LoadedArtifact& artifact);

// Whether the model makes a matte of what points and boxes mean.
bool TakesPrompt(const LoadedArtifact& artifact);

// The names of the model's classes; none if it has no method for them.
//   FailedPrecondition  its method labels() fails or gives no list of texts
absl::StatusOr<std::vector<std::string>> ClassNames(const LoadedArtifact& artifact);

// How a large image is worked on piece by piece, in pixels of it. Multiples of kTileStep, so that models that look at
// groups of pixels see the same groups.
struct Tiles {
  int64_t side;  // Of the pieces.
  int64_t pad;   // What the model sees around each.
};
inline constexpr int64_t kTileStep = 4;

// What a model runs on.
struct ModelInput {
  // Of one size: views of one scene, the frames of a shot, those of a model of two, a frame and those around it, or
  // else one image.
  absl::Span<const Image> images;
  at::Tensor companion = {};          // [1, h, w], if the model takes one.
  Prompt prompt = {};                 // For a model that takes one, which wants it, and for no other.
  double timestep = 0.5;              // Between two frames: 0 is the first, 1 the second. For a model that takes one.
  bool flow = false;                  // The motion between two frames in the place of the one between them.
  absl::optional<int64_t> size = {};  // At which the preprocessing aims; by default what the manifest recommends.
  absl::optional<Tiles> tiles = {};   // For a model that makes an image of one; by default it sees all at once.
};

// Runs the model. It gives a prediction for each view or frame of a shot, else one.
//   InvalidArgument    another number of images than the model takes, several sizes, `size` for a model without a
//                      choice, tiles or flow for a model of another kind, no companion or one of another size, a prompt
//                      outside of the image, or an image of another size than an ONNX file has fixed
//   FailedPrecondition the model refuses the image, and says why
//   ResourceExhausted  as CheckWorkSize, or memory ran out
absl::StatusOr<std::vector<Prediction>> RunModel(const LoadedArtifact& artifact, const ModelInput& input);

// A shot, whose frames a model is given one by one. It works on as many at a time as it looks at together: a file
// without the methods begin_shot and continue_shot, as ONNX files are, on all.
class ShotRun {
 public:
  // `size` is that of ModelInput. Borrows `artifact`, a model of shots.
  ShotRun(const LoadedArtifact& artifact, absl::optional<int64_t> size) : artifact_(artifact), size_(size) {}

  // Takes a frame: the last of `unfinished`, which are those that have no prediction yet. Returns the predictions of
  // the frames that it finishes, the first of `unfinished`; of all if the shot ends with it. Errors are those of
  // RunModel.
  absl::StatusOr<std::vector<Prediction>> Add(absl::Span<const Image> unfinished, bool is_last);

  // Whether the file has the methods begin_shot and continue_shot.
  bool works_frame_by_frame() const;

  // What it knows of the frames before, with which another one goes on; of a file that takes all frames at once
  // nothing.
  const std::vector<at::Tensor>& state() const { return state_; }
  void set_state(std::vector<at::Tensor> state) { state_ = std::move(state); }

 private:
  const LoadedArtifact& artifact_;
  absl::optional<int64_t> size_;
  std::vector<at::Tensor> state_;  // What the next call takes of the last one.
};

// What one image costs: the call of the artifact alone, with its preprocessing, without reading and writing files.
struct Benchmark {
  int runs = 0;  // Measured, after two that are not.
  double median_seconds = 0;
  double p90_seconds = 0;  // Nine of ten runs take no longer.
  double peak_memory = 0;  // Of the process until now, in bytes.
};

// Runs the model at least ten times, and for at least three seconds. Errors as for RunModel.
absl::StatusOr<Benchmark> MeasureModel(const LoadedArtifact& artifact, const ModelInput& input);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_RUN_RUN_MODEL_H_
