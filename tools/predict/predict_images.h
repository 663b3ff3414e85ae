// Images in, files out: every image on its own, or all as views of one scene.
#ifndef MODELPORT_TOOLS_PREDICT_PREDICT_IMAGES_H_
#define MODELPORT_TOOLS_PREDICT_PREDICT_IMAGES_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "tools/image/picture.h"
#include "tools/predict/encode_prediction.h"
#include "tools/predict/pictures/pictures.h"
#include "tools/predict/run/load_artifact.h"
#include "tools/predict/run/prediction.h"
#include "tools/predict/run/prompt.h"
#include "tools/predict/run/run_model.h"

namespace modelport {

// A label of an image.
struct Label {
  int64_t index;
  double probability;
  std::string name;  // Empty: the artifact does not name it.
};

// The five classes with the highest of `scores` [classes], best first, with the names that the artifact's method
// `labels` gives.
//   FailedPrecondition  the method fails, gives something else than names, or another number of them
absl::StatusOr<std::vector<Label>> BestLabels(const LoadedArtifact& artifact, const at::Tensor& scores);

struct PredictOptions {
  int64_t max_pixels = 100000000;     // Of one image.
  absl::optional<int64_t> size = {};  // As for RunModel.
  absl::optional<Tiles> tiles = {};   // As for RunModel.
  Prompt prompt = {};                 // As for RunModel.
  OutputStyle style = {};
  const LoadedArtifact* compared = nullptr;  // Another artifact. Outputs then show both and their difference.
  std::string resume = {};                   // Of a shot: the folder that keeps how far it is done; else empty.
};

// An image to read and the file to write; nothing is written if `output` is empty.
struct PredictJob {
  std::string input;
  std::string output;
  std::string companion = {};  // Of the input, for a model that takes one.
  Companion kind = Companion::kNone;
  std::vector<std::string> others = {};  // The further frames that the model takes, in its order.
  std::string overlay = {};              // Of a matte: a .png of the image with the matte over it; "" for none.
  double timestep = 0.5;                 // Of a model between two frames: 0 is the input, 1 the other one.
};

// What the files of a job hold.
struct JobInput {
  std::vector<std::string> paths = {};               // Of the images.
  std::vector<Image> images = {};                    // The input, then the others.
  std::vector<std::vector<std::string>> notes = {};  // Of each, as of ReadImage.
  at::Tensor companion = {};
};

// What was done for an image.
struct PredictedImage {
  std::string input;
  int width = 0;
  int height = 0;
  absl::Status status = {};             // Of reading it, the model and writing.
  std::vector<std::string> notes = {};  // Of its images, each once.
  absl::optional<ValueRange> depth = {};
  std::string colour = {};                               // The size of an image that the model gives: "1680 x 1120".
  absl::optional<double> motion = {};                    // The longest one into the next frame, in pixels.
  absl::optional<PredictionDifference> difference = {};  // From the compared artifact.
  std::vector<Label> labels = {};                        // The best five, best first.
};

// Reads the files of a job into `input` and fills `done`. An image that `input` holds of the job before is not read
// again: frames between two images share both, and those of the next two share one.
absl::Status ReadJob(const PredictJob& job, const PredictOptions& options, JobInput& input, PredictedImage& done);

// `input` of `job` for RunModel. Borrows from it.
ModelInput ForModel(const JobInput& input, const PredictJob& job, const PredictOptions& options);

// Predicts each image on its own, one after the other, so that the memory in use is that of one. An image that fails
// does not keep the others from being done. Nothing of a failed image's output is written.
std::vector<PredictedImage> PredictImages(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs,
                                          const PredictOptions& options);

// Predicts all images as the frames of one shot, in their order. Each output is written when its frame is finished, so
// that the memory in use is that of as many frames as the model looks at together. Adds a row to `done` for each.
// The error of the first frame that fails ends the shot, and says how many frames were written until then. With the
// option `resume` that much is not done again.
//   InvalidArgument  `resume` for a model that takes all frames at once
//   others           as ReadJob, RunModel, EncodePrediction, OutputFile and ShotStateFolder
absl::Status PredictShot(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs,
                         const PredictOptions& options, std::vector<PredictedImage>& done);

// Predicts all images as views of one scene, without comparing. Writes every output, or none if a view fails.
absl::StatusOr<std::vector<View>> PredictViews(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs,
                                               const PredictOptions& options, std::vector<PredictedImage>& done);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_PREDICT_IMAGES_H_
