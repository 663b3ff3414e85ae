#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_ONNX_FORMAT_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_ONNX_FORMAT_H_

#include "artifact/format/artifact_format.h"

namespace modelport {

// ONNX: files that its runtimes load, of opset 17. A file holds the method forward; arguments that have a default keep
// it.
const ArtifactFormat& OnnxFormat();

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_ONNX_FORMAT_H_
