#include "bench/served_model.h"

#include <ATen/ops/linspace.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "bench/measure.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// The input of a word: a tensor of the shape "1,3,518,518", or the integer "1200".
absl::StatusOr<c10::IValue> ParseInput(absl::string_view word) {
  std::vector<int64_t> sizes;
  int64_t count = 1;
  for (const absl::string_view part : absl::StrSplit(word, ',')) {
    if (!absl::SimpleAtoi(part, &sizes.emplace_back())) return absl::InvalidArgumentError("no shape and no integer");
    count *= sizes.back();
  }
  if (sizes.size() == 1) return c10::IValue(sizes[0]);
  return c10::IValue(at::linspace(-2, 2, count).reshape(sizes));
}

absl::Status AnswerRun(ServedModel& model, const std::vector<c10::IValue>& inputs, std::ostream& answers) {
  std::ofstream("/proc/self/clear_refs") << "5";  // Forgets the peak of its memory.
  const double cpu = CpuSeconds();
  const auto wall = std::chrono::steady_clock::now();
  RETURN_IF_ERROR(model.Run(inputs));
  const double wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  answers << CpuSeconds() - cpu << " " << wall_seconds << " " << ProcessMemory("self", "VmHWM") << std::endl;
  return absl::OkStatus();
}

absl::Status Save(ServedModel& model, const std::string& path, absl::string_view name, std::ostream& answers) {
  ASSIGN_OR_RETURN(const at::Tensor output, model.LastOutput(name));
  const at::Tensor dense = output.to(at::kFloat).contiguous();
  std::ofstream(path, std::ios::binary).write(static_cast<const char*>(dense.const_data_ptr()), dense.nbytes());
  answers << "saved" << std::endl;
  return absl::OkStatus();
}

absl::Status Answer(ServedModel& model, const std::vector<std::string>& words, std::ostream& answers) {
  if (words.size() > 1 && words[0] == "save") {
    return Save(model, words[1], words.size() > 2 ? words[2] : "", answers);
  }
  if (words.size() < 3 || (words[0] != "run" && words[0] != "kernels"))
    return absl::InvalidArgumentError("no such line");
  int threads = 1;
  if (!absl::SimpleAtoi(words[1], &threads)) return absl::InvalidArgumentError("no number of threads");
  RETURN_IF_ERROR(model.SetThreads(threads));
  std::vector<c10::IValue> inputs;
  for (size_t i = 2; i < words.size(); ++i) {
    ASSIGN_OR_RETURN(inputs.emplace_back(), ParseInput(words[i]));
  }
  if (words[0] == "run") return AnswerRun(model, inputs, answers);
  ASSIGN_OR_RETURN(const KernelTime time, model.Kernels(inputs));
  answers << time.flop << " " << time.cpu_seconds << std::endl;
  return absl::OkStatus();
}

}  // namespace

absl::Status Serve(ServedModel& model, std::istream& questions, std::ostream& answers) {
  answers << "ready " << ProcessMemory("self", "VmRSS") << std::endl;
  for (std::string line; std::getline(questions, line);) {
    RETURN_IF_ERROR(Answer(model, absl::StrSplit(line, ' '), answers));
  }
  return absl::OkStatus();
}

}  // namespace modelport
