// What a manifest says of the source of the weights, for people.
#ifndef MODELPORT_COMMON_MANIFEST_DESCRIBE_WEIGHTS_H_
#define MODELPORT_COMMON_MANIFEST_DESCRIBE_WEIGHTS_H_

#include <string>

#include "common/manifest/manifest.pb.h"

namespace modelport {

// "sha256:HEX", "seeded:v1:0", or of several files "backbone sha256:HEX, linear_head sha256:HEX".
std::string WeightsSource(const Manifest& manifest);

// "original", or of several files "backbone transformers, linear_head original".
std::string WeightsLayout(const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_DESCRIBE_WEIGHTS_H_
