#include "tests/golden_case.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/status/status_macros.h"
#include "common/weights/bind_tensors.h"
#include "nlohmann/json.hpp"

namespace modelport {
namespace {

using Json = nlohmann::json;

at::Tensor SeededInput(const Json& input) {
  at::Tensor tensor = at::empty(input.at("shape").get<std::vector<int64_t>>(), at::kFloat);
  SeededFill(input.at("key").get<std::string>(), input.at("seed"), input.at("center"), input.at("spread"),
             absl::MakeSpan(tensor.mutable_data_ptr<float>(), tensor.numel()));
  return tensor;
}

absl::StatusOr<std::map<std::string, at::Tensor>> ReadTensors(const std::string& path) {
  ASSIGN_OR_RETURN(const Checkpoint file, OpenCheckpoint(path));
  std::map<std::string, at::Tensor> tensors;
  for (const CheckpointTensor& tensor : file.state_dicts().front().tensors) {
    std::string bytes = RowMajorBytes(file, tensor);
    tensors[tensor.key] = at::from_blob(bytes.data(), tensor.shape, ToScalarType(tensor.dtype)).clone();
  }
  return tensors;
}

GoldenStage ReadStage(const Json& json) {
  GoldenStage stage;
  stage.name = json.at("tensor");
  stage.slice = json.value("slice", "");
  stage.max_abs = std::max(std::abs(json.at("min").get<double>()), std::abs(json.at("max").get<double>()));
  if (json.contains("fp64_max_abs_diff")) stage.noise = json.at("fp64_max_abs_diff").get<double>();
  return stage;
}

// The bound `text` of a slice, or `otherwise` if it is left out.
int64_t Bound(absl::string_view text, int64_t otherwise) {
  int64_t value = otherwise;
  return absl::SimpleAtoi(text, &value) ? value : otherwise;
}

}  // namespace

absl::StatusOr<GoldenCase> ReadGoldenCase(const std::string& json_path) {
  std::ifstream stream(json_path);
  const Json json = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return absl::InvalidArgumentError(absl::StrCat(json_path, ": not JSON"));
  const std::filesystem::path path(json_path);
  ASSIGN_OR_RETURN(const auto tensors, ReadTensors(std::filesystem::path(path).replace_extension(".safetensors")));
  GoldenCase golden{.name = path.stem(),
                    .model = json.at("model"),
                    .seed = json.at("seed"),
                    .input = SeededInput(json.at("input")),
                    .stages = {}};
  for (const Json& entry : json.at("stages")) {
    GoldenStage stage = ReadStage(entry);
    const auto found = tensors.find(stage.name);
    if (found == tensors.end()) return absl::NotFoundError(absl::StrCat(json_path, ": no tensor ", stage.name));
    stage.expected = found->second;
    golden.stages.push_back(std::move(stage));
  }
  return golden;
}

absl::StatusOr<std::vector<GoldenCase>> ReadGoldenCases(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<GoldenCase> cases;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(GoldenCase golden, ReadGoldenCase(path));
    cases.push_back(std::move(golden));
  }
  return cases;
}

at::Tensor Slice(at::Tensor tensor, const std::string& slice) {
  if (slice.empty()) return tensor;
  absl::string_view inner = slice;
  absl::ConsumePrefix(&inner, "[");
  absl::ConsumeSuffix(&inner, "]");
  int64_t dim = 0;
  for (absl::string_view part : absl::StrSplit(inner, ", ")) {
    std::vector<absl::string_view> bounds = absl::StrSplit(part, ':');
    bounds.resize(3);
    tensor = tensor.slice(dim, Bound(bounds[0], 0), Bound(bounds[1], tensor.size(dim)), Bound(bounds[2], 1));
    ++dim;
  }
  return tensor;
}

}  // namespace modelport
