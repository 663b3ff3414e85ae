#ifndef MODELPORT_BENCH_MODEL_PROCESS_H_
#define MODELPORT_BENCH_MODEL_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bench/kernel_time.h"

namespace modelport {

// One call of a model.
struct ModelRun {
  double cpu_seconds = 0;  // User and system, of all threads.
  double wall_seconds = 0;
  int64_t peak_bytes = 0;  // The most resident memory of the process during the call.
};

// A process of its own that holds one model, so that its memory can be told from that of others. It reads a line and
// answers with a line:
//   (at the start)                 "ready BYTES": the model is loaded; BYTES is its resident memory
//   "run 2 1,3,518,518 1200"       "CPU WALL PEAK", as in ModelRun: calls the model with 2 threads on a tensor of this
//                                  shape, in the dtype of its weights, whose values rise evenly from -2 to 2, and on
//                                  the integer 1200
//   "kernels 2 1,3,518,518 1200"   "FLOP CPU", as in KernelTime; an artifact's process alone answers that
//   "save FILE"                    "saved": FILE holds the float32 elements of the last output
//   "save FILE depth"              the same of the last output's tensor "depth", if the output is a dictionary
class ModelProcess {
 public:
  // Starts `command`, a program and its arguments, and waits until it is ready. `variables` are added to its
  // environment.
  //   Internal  it does not start, or says something else
  static absl::StatusOr<ModelProcess> Start(const std::string& name, const std::vector<std::string>& command,
                                            const std::vector<std::string>& variables = {});

  ModelProcess(ModelProcess&& other) noexcept;
  ModelProcess& operator=(ModelProcess&&) = delete;
  ~ModelProcess();

  const std::string& name() const { return name_; }
  int64_t loaded_bytes() const { return loaded_bytes_; }

  // `inputs`: shapes and integers as in the lines above, with spaces between.
  //   Internal  the process has ended or says something else
  absl::StatusOr<ModelRun> Run(absl::string_view inputs, int threads);
  absl::StatusOr<KernelTime> Kernels(absl::string_view inputs, int threads);
  // `output`: its name where the model returns a dictionary, else "".
  absl::StatusOr<std::vector<float>> LastOutput(const std::string& folder, absl::string_view output);

 private:
  ModelProcess(std::string name, pid_t pid, FILE* questions, FILE* answers)
      : name_(std::move(name)), pid_(pid), questions_(questions), answers_(answers) {}

  // The words of the answer to `question`, of which there must be `count`.
  absl::StatusOr<std::vector<std::string>> Ask(absl::string_view question, size_t count);
  // The same, of which each is a number.
  absl::StatusOr<std::vector<double>> AskNumbers(absl::string_view question, size_t count);

  std::string name_;
  pid_t pid_ = 0;  // 0: moved away.
  FILE* questions_ = nullptr;
  FILE* answers_ = nullptr;
  int64_t loaded_bytes_ = 0;
};

}  // namespace modelport

#endif  // MODELPORT_BENCH_MODEL_PROCESS_H_
