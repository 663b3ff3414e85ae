#ifndef MODELPORT_TOOLS_PREDICT_SHOT_STATE_H_
#define MODELPORT_TOOLS_PREDICT_SHOT_STATE_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "tools/image/legend.h"

namespace modelport {

// How far a shot is done.
struct ShotState {
  size_t taken = 0;                      // Frames that the model was given.
  size_t written = 0;                    // Those of them whose outputs are complete.
  std::vector<at::Tensor> tensors = {};  // That of ShotRun.
  // The depths that are the ends of the scale of all its pictures, if the first frames have set it.
  absl::optional<ValueRange> range = {};
};

// A folder that keeps how far a shot is done, so that another process goes on from there. It has a safetensors file for
// the newest state; one that is half written is never read.
class ShotStateFolder {
 public:
  // `run` says what runs on what: the state of another run is of no use.
  ShotStateFolder(std::string path, std::string run) : path_(std::move(path)), run_(std::move(run)) {}

  // The newest state; nothing is done yet if there is none.
  //   FailedPrecondition  it is of another run
  //   InvalidArgument     `path` is a file, or the folder has a state that this did not write
  //   others              as OpenCheckpoint
  absl::StatusOr<ShotState> Read() const;

  // Writes a state, and removes the one before it. Makes the folder if there is none.
  // Errors are those of WriteTensors and OutputFile.
  absl::Status Write(const ShotState& state) const;

  // Removes the states, and the folder if nothing else is in it.
  void Remove() const;

 private:
  std::string path_, run_;
};

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_SHOT_STATE_H_
