// What a manifest says of the weights and their source, for people.
#ifndef MODELPORT_COMMON_MANIFEST_DESCRIBE_WEIGHTS_H_
#define MODELPORT_COMMON_MANIFEST_DESCRIBE_WEIGHTS_H_

#include <string>

#include "common/manifest/manifest.pb.h"

namespace modelport {

// "sha256:HEX", "seeded:v1:0", or of several files "backbone sha256:HEX, linear_head sha256:HEX".
std::string WeightsSource(const Manifest& manifest);

// "original", or of several files "backbone transformers, linear_head original".
std::string WeightsLayout(const Manifest& manifest);

// "the published file" or "not the published file", of several files "backbone the published file, linear_head not the
// published file"; "" if the plugin states no sha256, or for seeded weights.
std::string WeightsOrigin(const Manifest& manifest);

// What --outputs left out: "depth_conf and 3 tensors that only it needs"; "" if nothing.
std::string LeftOutByRequest(const Manifest& manifest);

// Whether the licence of the published weights excludes commercial use, as its SPDX name tells: "CC-BY-NC-4.0".
bool ExcludesCommercialUse(const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_DESCRIBE_WEIGHTS_H_
