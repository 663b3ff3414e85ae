#include "common/manifest/describe_weights.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/text/units.h"

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

std::string WeightsOrigin(const Manifest& manifest) {
  const auto origin = [](absl::string_view published) -> std::string {
    if (published == "no") return "not the published file";
    // "yes", or "yes, by the first 8 digits of its sha256".
    return absl::ConsumePrefix(&published, "yes") ? absl::StrCat("the published file", published) : "";
  };
  if (!manifest.has_checkpoints()) return origin(manifest.published());
  std::vector<std::string> origins;
  for (const Manifest::Checkpoint& file : manifest.checkpoints().files()) {
    if (!file.published().empty()) origins.push_back(absl::StrCat(file.part(), " ", origin(file.published())));
  }
  return absl::StrJoin(origins, ", ");
}

std::string LeftOutByRequest(const Manifest& manifest) {
  const Manifest::Outputs& outputs = manifest.outputs();
  if (outputs.left_out().empty()) return "";
  const std::string names = absl::StrJoin(outputs.left_out(), ", ");
  if (outputs.tensors().empty()) return names;
  return absl::StrCat(names, " and ", Counted(outputs.tensors_size(), "tensor"), " that only ",
                      outputs.left_out_size() == 1 ? "it needs" : "they need");
}

bool ExcludesCommercialUse(const Manifest& manifest) { return absl::StrContains(manifest.weights_licence(), "-NC"); }

}  // namespace modelport
