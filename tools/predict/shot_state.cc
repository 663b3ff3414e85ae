#include "tools/predict/shot_state.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

// States are called by the frames that were taken: "shot_000032.safetensors".
constexpr char kBegin[] = "shot_", kEnd[] = ".safetensors";

// What a state is made of.
constexpr std::pair<at::ScalarType, DType> kDTypes[] = {
    {at::kFloat, DType::kFloat32}, {at::kHalf, DType::kFloat16}, {at::kBFloat16, DType::kBFloat16}};

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

absl::StatusOr<at::Tensor> ReadState(const Checkpoint& file, const CheckpointTensor& tensor) {
  for (const auto& [scalar, dtype] : kDTypes) {
    if (tensor.dtype != dtype) continue;
    const std::string bytes = RowMajorBytes(file, tensor);
    return CatchTorch([&, type = scalar] {
      at::Tensor state = at::empty(tensor.shape, type);
      std::memcpy(state.mutable_data_ptr(), bytes.data(), bytes.size());
      return state;
    });
  }
  return NotAState(file.path());
}

absl::StatusOr<SafetensorsTensor> Header(size_t index, const at::Tensor& tensor) {
  for (const auto& [scalar, dtype] : kDTypes) {
    // Keys in the order of their bytes are those of the tensors.
    if (tensor.scalar_type() == scalar) {
      return SafetensorsTensor{absl::StrFormat("%04d", index), dtype, tensor.sizes().vec()};
    }
  }
  return absl::UnimplementedError("--resume: the model keeps something else than floating numbers of a shot");
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
    return absl::FailedPreconditionError(
        absl::StrCat(path_,
                     ": is of another run: another model, other weights, images or outputs, or another --size\n  give "
                     "the same flags as then, remove it to begin anew, or give --resume another folder"));
  }
  ShotState state;
  ASSIGN_OR_RETURN(state.taken, Number(file, "taken"));
  ASSIGN_OR_RETURN(state.written, Number(file, "written"));
  if (state.written > state.taken) return NotAState(file.path());
  std::map<std::string, at::Tensor> tensors;
  for (const CheckpointTensor& tensor : file.state_dicts().front().tensors) {
    ASSIGN_OR_RETURN(tensors[tensor.key], ReadState(file, tensor));
  }
  RETURN_IF_ERROR(file.CheckUnchanged());
  for (auto& [key, tensor] : tensors) state.tensors.push_back(std::move(tensor));
  return state;
}

absl::Status ShotStateFolder::Write(const ShotState& state) const {
  std::error_code error;
  if (fs::create_directories(path_, error); error) {
    return absl::ErrnoToStatus(error.value(), absl::StrCat(path_, ": cannot be made"));
  }
  std::vector<std::pair<SafetensorsTensor, at::Tensor>> tensors;
  for (size_t i = 0; i < state.tensors.size(); ++i) {
    ASSIGN_OR_RETURN(SafetensorsTensor header, Header(i, state.tensors[i]));
    tensors.emplace_back(std::move(header), state.tensors[i].contiguous());
  }
  std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return ComesBefore(a.first, b.first); });
  std::vector<SafetensorsTensor> headers;
  for (const auto& [header, tensor] : tensors) headers.push_back(header);
  const std::vector<std::string> older = States(path_);
  const std::string path = absl::StrCat(path_, "/", kBegin, absl::StrFormat("%06d", state.taken), kEnd);
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  RETURN_IF_ERROR(file.Write(SafetensorsHeader(
      headers, {{"run", run_}, {"taken", absl::StrCat(state.taken)}, {"written", absl::StrCat(state.written)}})));
  for (const auto& [header, tensor] : tensors) {
    RETURN_IF_ERROR(file.Write({static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()}));
  }
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
