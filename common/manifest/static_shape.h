#ifndef MODELPORT_COMMON_MANIFEST_STATIC_SHAPE_H_
#define MODELPORT_COMMON_MANIFEST_STATIC_SHAPE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/manifest/manifest.pb.h"
#include "common/tensor/image_size.h"

namespace modelport {

// The only size of image that an artifact takes, as its manifest states it; nothing if it takes others. Anybody may
// have written the manifest.
//   DataLoss  what it states is no ImageSize that ParseImageSize reads
absl::StatusOr<absl::optional<ImageSize>> StaticShape(const Manifest& manifest);

// What a summary says of it: "only of 518x924 pixels, height x width"; "" if the artifact takes others. The numbers are
// those of the manifest, whatever they are.
std::string StaticShapeText(const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_STATIC_SHAPE_H_
