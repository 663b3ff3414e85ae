// A stage is a point of a forward pass whose tensor can be captured, compared or replaced.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_STAGE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_STAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

struct Stage {
  std::string path = "";  // Of the submodule, "" for the module itself.
  std::string method = "forward";
  enum class Side { kOutput, kInput } side = Side::kOutput;
  int argument = 0;          // Of an input: which one, from 0.
  int call = 0;              // Which call of the method, from 0.
  std::string element = "";  // Of a list, tuple or dictionary: "0", "depth", "0.depth"; "" is all of it.
};

// Whether both are of one call.
bool SameCall(const Stage& a, const Stage& b);

// Parses the name of a stage:
//   blocks.2                       what the submodule's forward returned
//   pretrained.prepare_tokens()    what a method returned; "prepare_tokens()" is one of the module itself
//   input of head.conv             the first argument; "input 1 of head.conv" is the second one
//   blocks.2.attn.rope [1]         of the second call
//   backbone -> 0.1                an element of a list, tuple or dictionary
// InvalidArgument if it is none of these.
absl::StatusOr<Stage> ParseStage(absl::string_view name);

// The shortest name of a stage.
std::string StageName(const Stage& stage);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_STAGE_H_
