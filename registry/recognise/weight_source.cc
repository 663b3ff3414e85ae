#include "registry/recognise/weight_source.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace modelport {
namespace {

constexpr absl::string_view kSeededPrefix = "seeded:v1:";

}  // namespace

std::vector<std::string> CheckpointPaths(const WeightSource& source) {
  std::vector<std::string> paths;
  const auto* const files = std::get_if<CheckpointFiles>(&source);
  for (size_t i = 0; files != nullptr && i < files->size(); ++i) paths.push_back((*files)[i].path);
  return paths;
}

std::string SeededName(const Seeded& seeded) { return absl::StrCat(kSeededPrefix, seeded.seed); }

absl::optional<Seeded> ParseSeededName(absl::string_view name) {
  Seeded seeded;
  absl::string_view number = name;
  if (!absl::ConsumePrefix(&number, kSeededPrefix) || !absl::SimpleAtoi(number, &seeded.seed)) return absl::nullopt;
  // SimpleAtoi also takes spaces, a sign and leading zeros.
  return SeededName(seeded) == name ? absl::make_optional(seeded) : absl::nullopt;
}

}  // namespace modelport
