// A prediction as the bytes of a file.
#ifndef MODELPORT_TOOLS_PREDICT_ENCODE_PREDICTION_H_
#define MODELPORT_TOOLS_PREDICT_ENCODE_PREDICTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "tools/image/picture.h"
#include "tools/predict/pictures/pictures.h"
#include "tools/predict/run/load_artifact.h"
#include "tools/predict/run/prediction.h"

namespace modelport {

// What kind of file a prediction becomes.
struct OutputStyle {
  // For PNG: depth in colours; by default as numbers, in 16 bits of grey.
  absl::optional<DepthColours> colours = absl::nullopt;
  bool side_by_side = false;       // With `colours`: the image to the left of its depth, or of itself with its matte.
  bool normals = false;            // For PNG: normals as colours, in the place of depth.
  bool flow = false;               // The motion between two frames in the place of an image.
  bool is_one_of_several = false;  // Whether other images have files of this style, too.
  // For PNG: the depths that become 0 and 65535, or the pixels of motion that are white and of full colour.
  absl::optional<ValueRange> range = absl::nullopt;

  // Whether it can only be a PNG.
  bool is_picture() const { return colours || normals; }
};

// The bytes of the file `path`, .png or .exr, for the depth, the matte, the colours, the normals or the features of an
// image:
//
//   depth, PNG        16 bits of grey: over the style's range, or else in metres times 256, where 0 is a pixel without
//                     depth, or from the smallest to the largest value; or colours; or the colours of normals
//   depth, EXR        channels depth.Z, and those that the model gives of confidence.Y, sky.Y, mask.Y and normal.X,
//                     normal.Y and normal.Z (x right, y down, z forward), in 32-bit floats
//   matte, PNG        16 bits of grey, from 0 to 1; or side by side the image, and the image with the matte over it
//   matte, EXR        channel A, in 32-bit floats
//   colour, PNG       8 bits of red, green and blue, with a caption if the manifest has a warning
//   colour, EXR       channels R, G and B, linear, in 32-bit floats
//   motion, PNG       colours of its directions into the next frame, as DrawFlow has them, the longest one full
//   motion, EXR       channels forward.u and forward.v into the next frame, backward.u and backward.v into the one
//                     before: pixels right and up, in 32-bit floats
//   normals of a node, PNG    8 bits, from -1 as 0 to 1 as 255, in the node's axes
//   normals of a node, EXR    channels R, G and B, as the node gives them, in 32-bit floats
//   features, PNG     their three principal components as colours, with a caption if the manifest has a warning
//   features, EXR     channels features.0000, ..., one pixel for each patch
//
// Both formats say which model made them, from which weights, in which unit, and the SHA-256 of the manifest.
//   InvalidArgument      the path has another extension, or the model gives nothing that can be drawn, no normals,
//                        or nothing that has a range
//   FailedPrecondition   the values are not finite
absl::StatusOr<std::string> EncodePrediction(const std::string& path, const Image& image, const Prediction& prediction,
                                             const LoadedArtifact& artifact, const OutputStyle& style);

// Whether a depth in the file `path` goes from its own smallest to its own largest value.
bool HasOwnScale(const std::string& path, const LoadedArtifact& artifact, const OutputStyle& style);

// What one cannot see in the file `path` of a depth or a motion: that it has numbers and no picture, what 16 bits clip,
// and that the scales of several images differ.
std::vector<std::string> NotesOn(const std::string& path, const Prediction& prediction, const LoadedArtifact& artifact,
                                 const OutputStyle& style);

// The bytes of the file `path` that shows what two models say of `image` and how far they are from each other: depth in
// the colours of the style, anything else as EncodePrediction draws it. ComparePredictions takes the two.
//   InvalidArgument     the path has another extension than .png, or the models give scores of classes
//   FailedPrecondition  what is no depth is not finite everywhere
absl::StatusOr<std::string> EncodeComparison(const std::string& path, const Image& image, const Prediction& prediction,
                                             const Prediction& other, const LoadedArtifact& artifact,
                                             const OutputStyle& style);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_ENCODE_PREDICTION_H_
