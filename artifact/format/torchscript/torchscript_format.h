#ifndef MODELPORT_ARTIFACT_FORMAT_TORCHSCRIPT_TORCHSCRIPT_FORMAT_H_
#define MODELPORT_ARTIFACT_FORMAT_TORCHSCRIPT_TORCHSCRIPT_FORMAT_H_

#include "artifact/format/artifact_format.h"

namespace modelport {

// TorchScript: archives that LibTorch 1.6 and newer load.
const ArtifactFormat& TorchScriptFormat();

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_FORMAT_TORCHSCRIPT_TORCHSCRIPT_FORMAT_H_
