#ifndef MODELPORT_COMMON_MANIFEST_MAIN_OUTPUT_H_
#define MODELPORT_COMMON_MANIFEST_MAIN_OUTPUT_H_

#include "common/manifest/manifest.pb.h"

namespace modelport {

// The entry point `forward`; an empty message if the manifest states none.
const Manifest::EntryPoint& Forward(const Manifest& manifest);

// The first output of `forward`, such as the depth of a depth model; an empty message if the manifest states none.
const Manifest::Result& MainOutput(const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_MAIN_OUTPUT_H_
