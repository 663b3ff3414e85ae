#ifndef MODELPORT_COMMON_SCRIPT_SOURCE_LINE_H_
#define MODELPORT_COMMON_SCRIPT_SOURCE_LINE_H_

#include <torch/csrc/jit/frontend/source_range.h>

#include <string>

namespace modelport {

// A line of code.
struct SourceLine {
  std::string place;  // "models/layers/vision_transformer.yaml:83"; empty: unknown.
  std::string text;   // What is written there, without indentation, at most 1000 bytes; empty: unknown.
};

// The line that `range` begins on: of the file that the author wrote, if the archive tells it, else of the archive's
// own code. Code that was traced has no text of its own: its text is the archive's.
SourceLine FindSourceLine(const torch::jit::SourceRange& range);

}  // namespace modelport

#endif  // MODELPORT_COMMON_SCRIPT_SOURCE_LINE_H_
