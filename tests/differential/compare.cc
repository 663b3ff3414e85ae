#include "tests/differential/compare.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/digest/sha256.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kDigits = 16;

Json DescribeTensor(const Checkpoint& checkpoint, const CheckpointTensor& tensor, std::map<int, int>& storages) {
  int storage = -1;
  if (*ElementCount(tensor.shape) > 0) {
    storage = storages.emplace(tensor.storage, static_cast<int>(storages.size())).first->second;
  }
  return {tensor.key,
          std::string(DTypeName(tensor.dtype)),
          tensor.shape,
          tensor.strides,
          tensor.offset,
          storage,
          Sha256Of(RowMajorBytes(checkpoint, tensor)).substr(0, kDigits)};
}

int64_t CountLoose(const Checkpoint& checkpoint) {
  int64_t count = 0;
  for (const LooseTensors& loose : checkpoint.loose()) count += loose.tensors;
  return count;
}

// What the reader found, as expected.json writes it.
Json Describe(const Checkpoint& checkpoint) {
  Json dicts = Json::array();
  std::map<int, int> storages;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    std::vector<std::string> paths = dict.also;
    paths.push_back(dict.path);
    std::sort(paths.begin(), paths.end());
    Json tensors = Json::array();
    for (const CheckpointTensor& tensor : dict.tensors) {
      tensors.push_back(DescribeTensor(checkpoint, tensor, storages));
    }
    dicts.push_back({{"paths", paths}, {"tensors", tensors}});
  }
  return {{"dicts", dicts}, {"loose", CountLoose(checkpoint)}, {"metadata", checkpoint.metadata()}};
}

absl::Status VerifyAllCrc32(const Checkpoint& checkpoint) {
  std::vector<int> storages(checkpoint.storages().size());
  std::iota(storages.begin(), storages.end(), 0);
  return VerifyCrc32(checkpoint, storages);
}

std::string CompareContents(const Json& found, const Json& expected) {
  std::string differences;
  for (const Json& edit : Json::diff(expected, found)) {
    const std::string place = edit["path"];
    absl::StrAppend(&differences, place, ":");
    if (edit["op"] != "add") {
      absl::StrAppend(&differences, " the reference reads ", expected[Json::json_pointer(place)].dump());
    }
    if (edit["op"] != "remove") absl::StrAppend(&differences, " Modelport reads ", edit["value"].dump());
    differences += "\n";
  }
  return differences;
}

}  // namespace

std::string CompareWithReference(const std::string& path, const Json& expected) {
  const absl::StatusOr<Checkpoint> checkpoint = OpenCheckpoint(path);
  const absl::Status status = checkpoint.ok() ? VerifyAllCrc32(*checkpoint) : checkpoint.status();
  if (expected.contains("refused")) {
    const std::string code = expected["refused"][0], text = expected["refused"][1];
    if (status.ok()) return absl::StrCat("is read; wants it refused: ", code, " ", text, "\n");
    const bool is_named = code.empty() || absl::StatusCodeToString(status.code()) == code;
    if (is_named && absl::StrContains(status.message(), text)) return "";
    return absl::StrCat("wants ", code, ": ", text, "\n  has ", status.ToString(), "\n");
  }
  if (!status.ok() && expected.contains("or_refused")) return "";
  if (!status.ok()) return absl::StrCat("is refused; the reference reads it: ", status.ToString(), "\n");
  return CompareContents(Describe(*checkpoint), expected["reads"]);
}

}  // namespace modelport
