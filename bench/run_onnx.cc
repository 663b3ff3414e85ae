// Runs an ONNX file in OpenVINO for //bench:inference: a ModelProcess, whose header describes the lines.
//   run_onnx FILE.onnx
#include <ATen/ops/linspace.h>
#include <ATen/ops/tensor.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "artifact/build/open_artifact.h"
#include "artifact/format/onnx/openvino.h"
#include "bench/measure.h"
#include "common/manifest/manifest.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// The names of the inputs and the outputs of a file, by the manifest in it.
absl::StatusOr<Manifest::EntryPoint> ReadEntryPoint(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoredArtifact> file, OpenArtifact(path));
  ASSIGN_OR_RETURN(const absl::optional<StoredPart> manifest, file->FindManifest());
  if (!manifest) return absl::InvalidArgumentError(absl::StrCat(path, ": has no manifest of Modelport"));
  return ParseKnownFields(manifest->bytes).entry_points(0);
}

absl::StatusOr<at::Tensor> ParseInput(absl::string_view word) {
  std::vector<int64_t> sizes;
  int64_t count = 1;
  for (const absl::string_view part : absl::StrSplit(word, ',')) {
    if (!absl::SimpleAtoi(part, &sizes.emplace_back())) return absl::InvalidArgumentError("no shape and no integer");
    count *= sizes.back();
  }
  return sizes.size() == 1 ? at::tensor({sizes[0]}) : at::linspace(-2, 2, count).reshape(sizes);
}

class OnnxProcess {
 public:
  OnnxProcess(std::string path, Manifest::EntryPoint entry_point)
      : path_(std::move(path)), entry_point_(std::move(entry_point)) {
    for (const Manifest::Result& output : entry_point_.outputs()) outputs_.push_back(output.name());
  }

  absl::Status Answer(const std::vector<std::string>& words) {
    if (words.size() > 2 && words[0] == "run") return Run(words);
    if (words.size() > 1 && words[0] == "save") return Save(words[1], words.size() > 2 ? words[2] : "");
    return absl::InvalidArgumentError("no such line");
  }

 private:
  absl::Status Run(const std::vector<std::string>& words) {
    int threads = 1;
    if (!absl::SimpleAtoi(words[1], &threads)) return absl::InvalidArgumentError("no number of threads");
    if (threads != threads_) {
      ASSIGN_OR_RETURN(model_, onnx::OpenVinoModel::Load(path_, threads));
      threads_ = threads;
    }
    std::vector<std::pair<std::string, at::Tensor>> inputs;
    for (size_t i = 2; i < words.size(); ++i) {
      ASSIGN_OR_RETURN(at::Tensor input, ParseInput(words[i]));
      inputs.emplace_back(entry_point_.inputs(static_cast<int>(i) - 2).name(), std::move(input));
    }
    std::ofstream("/proc/self/clear_refs") << "5";
    const double cpu = CpuSeconds();
    const auto wall = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(results_, model_->Run(inputs, outputs_));
    const double wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
    std::cout << CpuSeconds() - cpu << " " << wall_seconds << " " << ProcessMemory("self", "VmHWM") << std::endl;
    return absl::OkStatus();
  }

  absl::Status Save(const std::string& path, const std::string& name) {
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!name.empty() && outputs_[i] != name) continue;
      const at::Tensor dense = results_[i].to(at::kFloat).contiguous();
      std::ofstream(path, std::ios::binary).write(static_cast<const char*>(dense.const_data_ptr()), dense.nbytes());
      std::cout << "saved" << std::endl;
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError("no such output");
  }

  const std::string path_;
  const Manifest::EntryPoint entry_point_;
  std::vector<std::string> outputs_;
  absl::optional<onnx::OpenVinoModel> model_;
  int threads_ = 0;  // For which it is compiled.
  std::vector<at::Tensor> results_;
};

absl::Status Serve(const std::string& path) {
  ASSIGN_OR_RETURN(Manifest::EntryPoint entry_point, ReadEntryPoint(path));
  RETURN_IF_ERROR(onnx::CheckOpenVino());
  std::cout << "ready " << ProcessMemory("self", "VmRSS") << std::endl;
  OnnxProcess process(path, std::move(entry_point));
  for (std::string line; std::getline(std::cin, line);) {
    RETURN_IF_ERROR(process.Answer(absl::StrSplit(line, ' ')));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const absl::Status status = modelport::Serve(argv[1]);
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
