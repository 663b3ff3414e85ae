#include "artifact/build/formats.h"

#include "artifact/format/onnx/onnx_format.h"
#include "artifact/format/torchscript/torchscript_format.h"

namespace modelport {

const ArtifactFormat& FormatOf(const Target& target) {
  switch (target.format) {
    case FormatKind::kOnnx:
      return OnnxFormat();
    case FormatKind::kTorchScript:
      break;
  }
  return TorchScriptFormat();
}

}  // namespace modelport
