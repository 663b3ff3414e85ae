#include "tests/gpu/pack_artifact.h"

#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/checkpoint/zip_directory.h"
#include "common/digest/sha256.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

// The line that stands for the numbers of each key, by the digest of these numbers.
using Lines = std::unordered_map<std::string, std::string>;

Lines SeededLines(const std::vector<SeededKey>& keys, uint64_t seed) {
  Lines lines;
  std::vector<float> numbers;
  for (const SeededKey& key : keys) {
    const absl::optional<SeededDistribution> rule = SeededRule(key.key, key.shape);
    if (!IsFloating(key.dtype) || !rule) continue;
    numbers.resize(ElementCount(key.shape).value_or(0));
    SeededWeights(key.key, key.shape, seed, absl::MakeSpan(numbers));
    const std::string digest =
        Sha256Of({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)});
    lines[digest] =
        absl::StrFormat("seeded %d %d %a %a %s\n", numbers.size(), seed, rule->center, rule->spread, key.key);
  }
  return lines;
}

void AppendBytes(absl::string_view bytes, std::string& packed) {
  if (!bytes.empty()) absl::StrAppend(&packed, "bytes ", bytes.size(), "\n", bytes);
}

}  // namespace

absl::StatusOr<std::string> PackArtifact(absl::string_view artifact, const std::vector<SeededKey>& keys,
                                         uint64_t seed) {
  ASSIGN_OR_RETURN(const std::vector<ZipRecord> records, ReadZipDirectory(artifact, ZipMethods::kStoredAndDeflated));
  const Lines lines = SeededLines(keys, seed);
  std::string packed;
  size_t done = 0;
  for (const ZipRecord& record : records) {
    const auto line = lines.find(Sha256Of(record.bytes));
    if (line == lines.end()) continue;
    const size_t start = record.bytes.data() - artifact.data();
    AppendBytes(artifact.substr(done, start - done), packed);
    packed += line->second;
    done = start + record.bytes.size();
  }
  AppendBytes(artifact.substr(done), packed);
  return packed;
}

}  // namespace modelport
