#include "tests/goldens/golden_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/status/status_macros.h"
#include "common/torchscript/weights/tensor_file.h"
#include "nlohmann/json.hpp"

namespace modelport {
namespace {

using Json = nlohmann::json;

at::Tensor SeededInput(const Json& input, uint64_t seed) {
  at::Tensor tensor = at::empty(input.at("shape").get<std::vector<int64_t>>(), at::kFloat);
  SeededFill(input.at("key").get<std::string>(), input.value("seed", seed), input.at("center"), input.at("spread"),
             absl::MakeSpan(tensor.mutable_data_ptr<float>(), tensor.numel()));
  if (!input.value("to_uint8", false)) return tensor;
  return tensor.mul(256).floor().clamp(0, 255).to(at::kByte);
}

c10::IValue ArgumentValue(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.empty() || !json.front().is_array()) return json.get<std::vector<int64_t>>();
  // Lists of lists are the rows of a tensor.
  std::vector<at::Tensor> rows;
  for (const Json& row : json) {
    rows.push_back(row.front().is_array() ? ArgumentValue(row).toTensor()
                                          : at::tensor(row.get<std::vector<double>>(), at::kFloat));
  }
  return at::stack(rows);
}

void ReadArguments(const Json& json, GoldenCase& golden) {
  if (json.contains("input")) golden.arguments["x"] = SeededInput(json.at("input"), golden.seed);
  for (const Json& input : json.value("inputs", Json::array())) {
    const std::string name = input.at("arg");
    golden.arguments[name] = input.contains("key") ? SeededInput(input, golden.seed)
                                                   : golden.tensors.at(input.at("tensor").get<std::string>());
  }
  // What is false there was left out; the tensors are given already; "forward" names the call.
  const Json call = json.value("call", Json::object());
  for (const auto& [name, value] : call.items()) {
    if (name != "forward" && value != Json(false)) golden.arguments.emplace(name, ArgumentValue(value));
  }
  const Json arguments = json.value("arguments", Json::object());
  for (const auto& [name, value] : arguments.items()) golden.arguments[name] = ArgumentValue(value);
  golden.arguments["H"] = golden.input().size(-2);
  golden.arguments["W"] = golden.input().size(-1);
}

double MaxAbs(const Json& json, const at::Tensor& stored) {
  if (json.contains("max_abs")) return json.at("max_abs");
  const Json& range = json.contains("stats") ? json.at("stats") : json;
  if (range.contains("min"))
    return std::max(std::abs(range.at("min").get<double>()), std::abs(range.at("max").get<double>()));
  return stored.to(at::kDouble).abs().max().item<double>();
}

GoldenStage ReadStage(const Json& json, const at::Tensor& stored) {
  GoldenStage stage;
  stage.name = json.at("tensor");
  stage.expected = stored;
  stage.slice = json.value("slice", "");
  stage.max_abs = MaxAbs(json, stored);
  if (json.contains("fp64_max_abs_diff")) stage.noise = json.at("fp64_max_abs_diff").get<double>();
  return stage;
}

}  // namespace

absl::StatusOr<std::map<std::string, at::Tensor>> ReadTensors(const std::string& path) {
  ASSIGN_OR_RETURN(const Checkpoint file, OpenCheckpoint(path));
  return CopyTensors(file);
}

absl::StatusOr<GoldenCase> ReadGoldenCase(const std::string& json_path) {
  std::ifstream stream(json_path);
  const Json json = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return absl::InvalidArgumentError(absl::StrCat(json_path, ": not JSON"));
  const std::filesystem::path path(json_path);
  GoldenCase golden;
  golden.name = path.stem();
  golden.model = json.at("model");
  golden.seed = json.at("seed");
  golden.with_preprocess = json.value("with_preprocess", false);
  ASSIGN_OR_RETURN(golden.tensors, ReadTensors(std::filesystem::path(path).replace_extension(".safetensors")));
  ReadArguments(json, golden);
  for (const Json& entry : json.at("stages")) {
    const std::string name = entry.at("tensor");
    const auto found = golden.tensors.find(name);
    if (found == golden.tensors.end()) return absl::NotFoundError(absl::StrCat(json_path, ": no tensor ", name));
    golden.stages.push_back(ReadStage(entry, found->second));
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

}  // namespace modelport
