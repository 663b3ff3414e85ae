#include "common/checkpoint/seeded.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/tensor/dtype.h"

namespace modelport {
namespace {

// Below this many elements a second thread costs more than it saves.
constexpr size_t kThreadedSize = size_t{1} << 20;

void FillRange(const SeededNumbers& numbers, uint64_t first, absl::Span<float> out) {
  for (size_t k = 0; k < out.size(); ++k) out[k] = numbers[first + k];
}

double WeightSpread(const Shape& shape) {
  const absl::optional<int64_t> fan_in = ElementCount(Shape(shape.begin() + 1, shape.end()));
  return std::sqrt(3.0 / static_cast<double>(fan_in.value_or(1)));
}

size_t SizeOf(const SeededKey& key) { return ElementCount(key.shape).value_or(0) * ByteSize(key.dtype); }

// The offset in bytes of each key, and the end of the last one. The offsets are aligned for every dtype.
std::vector<size_t> Offsets(const std::vector<SeededKey>& keys) {
  constexpr size_t kAlignment = 8;
  std::vector<size_t> offsets;
  size_t end = 0;
  for (const SeededKey& key : keys) {
    offsets.push_back((end + kAlignment - 1) / kAlignment * kAlignment);
    end = offsets.back() + SizeOf(key);
  }
  offsets.push_back(end);
  return offsets;
}

void FillKey(const SeededKey& key, uint64_t seed, char* out) {
  if (!IsFloating(key.dtype)) {
    std::memset(out, 0, SizeOf(key));
  } else {
    SeededWeights(key.key, key.shape, seed, {reinterpret_cast<float*>(out), SizeOf(key) / sizeof(float)});
  }
}

}  // namespace

absl::optional<SeededDistribution> SeededRule(absl::string_view key, const Shape& shape) {
  const absl::string_view leaf = key.substr(key.rfind('.') + 1);
  if (leaf == "num_batches_tracked") return absl::nullopt;
  if (leaf == "running_mean") return SeededDistribution{0.0, 0.1};
  if (leaf == "running_var") return SeededDistribution{1.0, 0.2};
  if (shape.size() >= 2) return SeededDistribution{0.0, leaf == "weight" ? WeightSpread(shape) : 0.2};
  if (leaf == "gamma") return SeededDistribution{0.3, 0.1};
  if (absl::EndsWith(leaf, "bias")) return SeededDistribution{0.0, 0.1};
  return SeededDistribution{1.0, 0.1};
}

void SeededFill(absl::string_view key, uint64_t seed, double center, double spread, absl::Span<float> out) {
  const SeededNumbers numbers(std::string(key), seed, {center, spread});
  if (out.size() < kThreadedSize) return FillRange(numbers, 0, out);
  const size_t half = out.size() / 2;
  std::thread second_half([=] { FillRange(numbers, half, out.subspan(half)); });
  FillRange(numbers, 0, out.subspan(0, half));
  second_half.join();
}

void SeededWeights(absl::string_view key, const Shape& shape, uint64_t seed, absl::Span<float> out) {
  const absl::optional<SeededDistribution> rule = SeededRule(key, shape);
  if (!rule) return std::fill(out.begin(), out.end(), 0.0f);
  SeededFill(key, seed, rule->center, rule->spread, out);
}

Checkpoint MakeSeededCheckpoint(const std::vector<SeededKey>& keys, uint64_t seed) {
  const std::vector<size_t> offsets = Offsets(keys);
  const std::shared_ptr<char[]> weights = std::make_shared_for_overwrite<char[]>(offsets.back());

  CheckpointContents contents;
  StateDict dict;
  for (size_t i = 0; i < keys.size(); ++i) {
    const SeededKey& key = keys[i];
    FillKey(key, seed, weights.get() + offsets[i]);
    const int storage = static_cast<int>(contents.storages.size());
    contents.storages.push_back({"", {weights.get() + offsets[i], SizeOf(key)}, absl::nullopt});
    dict.tensors.push_back({key.key, key.dtype, key.shape, RowMajorStrides(key.shape), 0, storage});
  }
  contents.path = absl::StrCat("seeded:v1:", seed);
  contents.format = "seeded";
  contents.files.push_back({contents.path, {weights.get(), offsets.back()}, weights});
  contents.state_dicts.push_back(std::move(dict));
  return Checkpoint(std::move(contents));
}

}  // namespace modelport
