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
#include "tools/predict/encode_prediction.h"
#include "tools/predict/pictures/depth_picture.h"
#include "tools/predict/run/load_artifact.h"
#include "tools/predict/run/prediction.h"

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
  OutputStyle style = {};
  const LoadedArtifact* compared = nullptr;  // Another artifact. Outputs then show both and their difference.
};

// An image to read and the file to write; nothing is written if `output` is empty.
struct PredictJob {
  std::string input;
  std::string output;
  std::string trimap = {};  // Of the input, for a model that takes one.
};

// What was done for an image.
struct PredictedImage {
  std::string input;
  int width = 0;
  int height = 0;
  absl::Status status = {};             // Of reading it, the model and writing.
  std::vector<std::string> notes = {};  // As of ReadImage.
  absl::optional<ValueRange> depth = {};
  absl::optional<Difference> difference = {};  // From the compared artifact.
  std::vector<Label> labels = {};              // The best five, best first.
};

// Predicts each image on its own, one after the other, so that the memory in use is that of one. An image that fails
// does not keep the others from being done. Nothing of a failed image's output is written.
std::vector<PredictedImage> PredictImages(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs,
                                          const PredictOptions& options);

// Predicts all images as views of one scene, without comparing. Writes every output, or none if a view fails.
absl::StatusOr<std::vector<View>> PredictViews(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs,
                                               const PredictOptions& options, std::vector<PredictedImage>& done);

// Reads a trimap, an image of grey: black is background, white foreground, what is between unknown. Returns [1, H, W],
// bytes or floats in 0..1, as the file holds them: those of EXR and floating TIFF files are not converted to sRGB. For
// a model that takes none, `path` is "" and the tensor undefined.
// Errors are those of ReadImage, and
//   InvalidArgument   red, green and blue differ
absl::StatusOr<at::Tensor> ReadTrimap(const std::string& path, int64_t max_pixels);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_PREDICT_IMAGES_H_
