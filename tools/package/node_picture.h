#ifndef MODELPORT_TOOLS_PACKAGE_NODE_PICTURE_H_
#define MODELPORT_TOOLS_PACKAGE_NODE_PICTURE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "targets/target/target.h"

namespace modelport {

// Runs the artifact of a node on `images`, files, and writes a PNG of what it makes of them to `out`: depth in colours
// and mattes beside the image, anything else alone. Most nodes take one image, which stands for all frames of
// one that takes frames around it; one of mattes takes its trimap as the second, or in the alpha of the first, and one
// between two frames both. The middle of what the node makes becomes the icons, whose files lie beside the artifact and
// are replaced.
//   InvalidArgument  another number of images
//   others           as LoadArtifact, ReadImage, RunModel and OutputFile
absl::Status DrawNode(const std::string& artifact, const std::vector<std::string>& images, const std::string& out,
                      const std::vector<PackageIcon>& icons);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PACKAGE_NODE_PICTURE_H_
