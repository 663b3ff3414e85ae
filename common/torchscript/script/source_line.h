#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_SOURCE_LINE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_SOURCE_LINE_H_

#include <string>

#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// A line of code.
struct SourceLine {
  std::string place;  // "models/layers/vision_transformer.yaml:83"; empty: unknown.
  std::string text;   // What is written there, without indentation, at most 1000 bytes; empty: unknown.
};

// The line where `range` begins: of the author's source file if the archive records it, else of the archive's code. The
// text of traced code is always that of the archive, since tracing records no source text.
SourceLine FindSourceLine(const torch::jit::SourceRange& range);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_SOURCE_LINE_H_
