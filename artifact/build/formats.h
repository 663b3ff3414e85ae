#ifndef MODELPORT_ARTIFACT_BUILD_FORMATS_H_
#define MODELPORT_ARTIFACT_BUILD_FORMATS_H_

#include "artifact/format/artifact_format.h"
#include "targets/target/target.h"

namespace modelport {

// The format of artifacts for `target`.
const ArtifactFormat& FormatOf(const Target& target);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_FORMATS_H_
