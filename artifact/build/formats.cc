#include "artifact/build/formats.h"

#include "artifact/format/torchscript/torchscript_format.h"

namespace modelport {

const ArtifactFormat& FormatOf(const Target& target) {
  switch (target.format) {
    case FormatKind::kTorchScript:
      break;
  }
  return TorchScriptFormat();
}

}  // namespace modelport
