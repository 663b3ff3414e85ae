#ifndef MODELPORT_TOOLS_PREDICT_FIND_IMAGES_H_
#define MODELPORT_TOOLS_PREDICT_FIND_IMAGES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace modelport {

// A file to read.
struct FoundImage {
  std::string path;
  std::string number;  // Its digits in a numbered sequence; "" for other files.
};

// The images that `inputs` name, each of which is a file, a folder, a numbered sequence such as plate.%04d.exr or
// plate.####.exr, or a wildcard such as shots/*.jpg. Of a folder, the files with the extension of an image, not those
// of its subfolders. In order of name or number.
//   NotFound          a file, folder or sequence that does not exist, or without images
//   InvalidArgument   a file is named twice
absl::StatusOr<std::vector<FoundImage>> FindImages(const std::vector<std::string>& inputs);

// The paths of the outputs for `images`, in their order. `out` is a file, for one image, or a folder, which gets PNG
// files named after the images, or a path in whose name %04d or #### stands for the image's number or * for its name
// without the extension.
//   NotFound          the folder does not exist
//   InvalidArgument   `out` cannot name them: one file for several images, a number for images that have none, another
//                     extension than .png and .exr; two images would have one output, or an output is an input
absl::StatusOr<std::vector<std::string>> NameOutputs(const std::vector<FoundImage>& images, const std::string& out);

// InvalidArgument if the file `output` is one of `images`.
absl::Status CheckIsNoInput(const std::string& output, const std::vector<FoundImage>& images);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_FIND_IMAGES_H_
