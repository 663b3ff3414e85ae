#include "tools/package/node_picture.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "tools/image/colour_map.h"
#include "tools/predict/predict_images.h"
#include "tools/predict/run/load_artifact.h"
#include "tools/predict/run/run_model.h"

namespace modelport {

absl::Status DrawNode(const std::string& artifact, const std::vector<std::string>& images, const std::string& out) {
  ASSIGN_OR_RETURN(const LoadedArtifact node, LoadArtifact(artifact, /*public_key=*/""));
  const Companion companion = TakesBeside(node);
  const bool takes_frames = TakesImages(node) == ImagesTaken::kTwoFrames;
  const size_t wanted = companion != Companion::kNone || takes_frames ? 2 : 1;
  if (images.size() != wanted) {
    const std::string inputs = companion == Companion::kTrimap ? "an image and its trimap, with a comma between"
                               : companion == Companion::kCoarseDepth
                                   ? "an image and its coarse depth, with a comma between"
                               : takes_frames ? "two frames, with a comma between"
                                              : "one image";
    return absl::InvalidArgumentError(
        absl::StrCat(node.manifest.model(), " wants ", inputs, ", has ", images.size(), " files"));
  }
  PredictJob job = {.input = images[0], .output = out};
  if (companion != Companion::kNone) job.companion = images[1];
  job.kind = companion;
  if (takes_frames) job.others = {images[1]};
  // A still, which stands for all of its frames.
  if (TakesImages(node) == ImagesTaken::kAround)
    job.others.assign(node.manifest.interface().frames_size() - 1, images[0]);
  PredictOptions options;
  const std::string& kind = node.manifest.interface().kind();
  options.style.side_by_side = kind == "depth" || kind == "matte";
  if (kind == "depth") {
    ASSIGN_OR_RETURN(options.style.colours.emplace().map, FindColourMap("spectral"));
  }
  return PredictImages(node, {job}, options).front().status;
}

}  // namespace modelport
