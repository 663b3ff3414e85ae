#include "common/manifest/describe_weights.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace modelport {
namespace {

// `whole`, or "PART TEXT" for each of several files, where `get` has the text of one.
template <typename Get>
std::string OfEachFile(const Manifest& manifest, const std::string& whole, Get get) {
  if (!manifest.has_checkpoints()) return whole;
  return absl::StrJoin(manifest.checkpoints().files(), ", ", [&](std::string* out, const Manifest::Checkpoint& file) {
    absl::StrAppend(out, file.part(), " ", get(file));
  });
}

}  // namespace

std::string WeightsSource(const Manifest& manifest) {
  return OfEachFile(manifest, manifest.source(), [](const auto& file) { return file.source(); });
}

std::string WeightsLayout(const Manifest& manifest) {
  return OfEachFile(manifest, manifest.layout(), [](const auto& file) { return file.layout(); });
}

}  // namespace modelport
