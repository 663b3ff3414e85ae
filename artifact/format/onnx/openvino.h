// OpenVINO, the runtime that proves ONNX files: its C library is loaded when it is wanted, so that programs need
// neither its headers nor its 60 MB.
#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_OPENVINO_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_OPENVINO_H_

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "artifact/format/onnx/read_model.h"

namespace modelport::onnx {

// The only release that files are proven and run in.
inline constexpr char kOpenVinoVersion[] = "2026.4.1";

// OK if OpenVINO is at hand: in the folder that MODELPORT_OPENVINO names, or among the program's runfiles.
//   FailedPrecondition  it is not, is of another release, or cannot be loaded; says what to do
absl::Status CheckOpenVino();

// A file that OpenVINO runs on the CPU in float32.
class OpenVinoModel {
 public:
  // Loads and compiles the file `path`, which Modelport has written, for so many threads, or for 0 as many as the
  // machine has cores.
  //   FailedPrecondition  as CheckOpenVino
  //   DataLoss            OpenVINO cannot load it
  static absl::StatusOr<OpenVinoModel> Load(const std::string& path, int threads = 0);

  // The same for the content of a file, as which ReadModel and FindElements have read `model`. OpenVINO opens no file
  // and copies all elements, those of external constants from where `model` has them.
  static absl::StatusOr<OpenVinoModel> LoadBytes(absl::string_view bytes, const FileModel& model);

  // The outputs of these names for inputs of these names, which are contiguous.
  //   DataLoss  OpenVINO cannot run it
  absl::StatusOr<std::vector<at::Tensor>> Run(const std::vector<std::pair<std::string, at::Tensor>>& inputs,
                                              const std::vector<std::string>& outputs) const;

 private:
  struct Compiled;
  static absl::StatusOr<OpenVinoModel> Compile(std::shared_ptr<Compiled> read, int threads);
  explicit OpenVinoModel(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_OPENVINO_H_
