#include "tools/predict/shot_state.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/checkpoint/checkpoint.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "common/torchscript/weights/tensor_file.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

// States are called by the frames that were taken: "shot_000032.safetensors".
constexpr char kBegin[] = "shot_", kEnd[] = ".safetensors";

// The states in the folder, the oldest first; none if there is no folder.
std::vector<std::string> States(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (absl::StartsWith(name, kBegin) && absl::EndsWith(name, kEnd)) paths.push_back(entry->path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

absl::Status NotAState(const std::string& path) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": is no state of a shot that predict wrote\n  remove it, or give --resume another folder"));
}

// The number that the metadata have under `name`.
absl::StatusOr<size_t> Number(const Checkpoint& file, const std::string& name) {
  const auto text = file.metadata().find(name);
  int64_t number = 0;
  if (text == file.metadata().end() || !absl::SimpleAtoi(text->second, &number) || number < 0) {
    return NotAState(file.path());
  }
  return static_cast<size_t>(number);
}

// The range in the metadata; nullopt if there is none.
absl::StatusOr<absl::optional<ValueRange>> RangeIn(const Checkpoint& file) {
  const auto text = file.metadata().find("range");
  if (text == file.metadata().end()) return absl::nullopt;
  const absl::optional<ValueRange> range = ParseRange(text->second);
  if (!range) return NotAState(file.path());
  return range;
}

}  // namespace

absl::StatusOr<ShotState> ShotStateFolder::Read() const {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path_, ": --resume wants a folder, and this is a file"));
  }
  const std::vector<std::string> states = States(path_);
  if (states.empty()) return ShotState();
  ASSIGN_OR_RETURN(const Checkpoint file, OpenCheckpoint(states.back()));
  const auto run = file.metadata().find("run");
  if (run == file.metadata().end() || file.state_dicts().empty()) return NotAState(file.path());
  if (run->second != run_) {
    return absl::FailedPreconditionError(absl::StrCat(
        path_,
        ": is of another run: another model, other weights, images or outputs, or another --size or way "
        "of drawing\n  give the same flags as then, remove it to begin anew, or give --resume another folder"));
  }
  ShotState state;
  ASSIGN_OR_RETURN(state.taken, Number(file, "taken"));
  ASSIGN_OR_RETURN(state.written, Number(file, "written"));
  if (state.written > state.taken) return NotAState(file.path());
  ASSIGN_OR_RETURN(state.range, RangeIn(file));
  ASSIGN_OR_RETURN(auto tensors, CopyTensors(file));
  RETURN_IF_ERROR(file.CheckUnchanged());
  for (auto& [key, tensor] : tensors) state.tensors.push_back(std::move(tensor));
  return state;
}

absl::Status ShotStateFolder::Write(const ShotState& state) const {
  std::error_code error;
  if (fs::create_directories(path_, error); error) {
    return absl::ErrnoToStatus(error.value(), absl::StrCat(path_, ": cannot be made"));
  }
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  // The order of the names' bytes is that of the tensors.
  for (size_t i = 0; i < state.tensors.size(); ++i) tensors.emplace_back(absl::StrFormat("%04d", i), state.tensors[i]);
  const std::vector<std::string> older = States(path_);
  const std::string path = absl::StrCat(path_, "/", kBegin, absl::StrFormat("%06d", state.taken), kEnd);
  std::map<std::string, std::string> facts = {
      {"run", run_}, {"taken", absl::StrCat(state.taken)}, {"written", absl::StrCat(state.written)}};
  if (state.range) facts["range"] = absl::StrFormat("%.17g,%.17g", state.range->min, state.range->max);
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  RETURN_IF_ERROR(WriteTensors(tensors, facts, file));
  RETURN_IF_ERROR(file.Commit());
  for (const std::string& state_before : older) {
    if (state_before != path) fs::remove(state_before, error);
  }
  return absl::OkStatus();
}

void ShotStateFolder::Remove() const {
  std::error_code error;
  for (const std::string& state : States(path_)) fs::remove(state, error);
  fs::remove(path_, error);
}

}  // namespace modelport
