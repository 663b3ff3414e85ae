#include "pipeline/weight_source.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace modelport {
namespace {

constexpr absl::string_view kSeededPrefix = "seeded:v1:";

}  // namespace

std::string CheckpointPath(const WeightSource& source) {
  const auto* const file = std::get_if<CheckpointFile>(&source);
  return file == nullptr ? "" : file->path;
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
