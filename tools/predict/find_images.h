#ifndef MODELPORT_TOOLS_PREDICT_FIND_IMAGES_H_
#define MODELPORT_TOOLS_PREDICT_FIND_IMAGES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace modelport {

// A file to read.
struct FoundImage {
  std::string path;
  std::string number;  // Its digits in a numbered sequence; "" for other files.
};

// The images that were found, and what was left out, for people.
struct FoundImages {
  std::vector<FoundImage> images;
  std::vector<std::string> notes;
};

// What a numbered sequence may lack between its first and its last frame.
enum class MissingFrames { kError, kSkip };

// The images that `inputs` name, each of which is a file, a folder, a numbered sequence such as plate.%04d.exr or
// plate.####.exr, or a wildcard such as shots/*.jpg. What exists under the very name is no pattern, and neither are the
// folders of a wildcard that do: "[2024] shots/*.jpg". Of a folder, the files with the extension of an image, neither
// those of its subfolders nor those whose names begin with a dot; a note counts its images of formats that are not
// read. In order of name or number. Adds them to the record of inputs.
//   NotFound          a file, folder or sequence that does not exist, or without images; or a sequence without some of
//                     its frames, which the message names
//   InvalidArgument   a file is named twice
absl::StatusOr<FoundImages> FindImages(const std::vector<std::string>& inputs,
                                       MissingFrames missing = MissingFrames::kError);

// Each of `images` with the file of `companions` that belongs to it, such as its trimap: one image has the only one;
// several have those with their frame numbers or, where not every name has a number of its own, those of their names
// without the extension. A frame number is that of the sequence, or else the last digits of the name.
//   InvalidArgument   an image has none, or a number or name stands for two
absl::StatusOr<std::vector<std::pair<FoundImage, FoundImage>>> PairByFrame(const std::vector<FoundImage>& images,
                                                                           const std::vector<FoundImage>& companions);

// A frame to make between two.
struct FrameBetween {
  FoundImage first, second;
  double timestep;   // 0 is the first frame, 1 the second.
  FoundImage frame;  // The name and the number that outputs are called after; no such file exists.
};

// The `count` frames, at equal distances, between each two of `images` that follow each other. They have the numbers of
// a sequence in which the first of the images keeps its own and each goes on by one: with three between, 1001 and 1002
// become 1001 and 1005. Images without numbers count from 1.
//   InvalidArgument   fewer than two images
absl::StatusOr<std::vector<FrameBetween>> FramesBetween(const std::vector<FoundImage>& images, int64_t count);

// The paths of the outputs for `images`, in their order. `out` is a file, for one image, or a folder, which gets files
// named after the images that end in `extension`, or a path in whose name %04d or #### stands for the image's number or
// * for its name without the extension. An existing file, and a single # where no image has a number, are names as they
// stand.
//   NotFound          the folder does not exist
//   InvalidArgument   `out` cannot name them: one file for several images, a number for images that have none, another
//                     extension than .png and .exr; two images would have one output, or an output is an input
absl::StatusOr<std::vector<std::string>> NameOutputs(const std::vector<FoundImage>& images, const std::string& out,
                                                     const std::string& extension = ".png");

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_FIND_IMAGES_H_
