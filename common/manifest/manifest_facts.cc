#include "common/manifest/manifest_facts.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace modelport {

const Manifest::EntryPoint& Forward(const Manifest& manifest) {
  for (const Manifest::EntryPoint& entry_point : manifest.entry_points()) {
    if (entry_point.method() == "forward") return entry_point;
  }
  return Manifest::EntryPoint::default_instance();
}

const Manifest::Result& MainOutput(const Manifest& manifest) {
  const Manifest::EntryPoint& forward = Forward(manifest);
  return forward.outputs().empty() ? Manifest::Result::default_instance() : forward.outputs(0);
}

absl::StatusOr<absl::optional<ImageSize>> StaticShape(const Manifest& manifest) {
  if (manifest.static_shape().empty()) return absl::nullopt;
  const std::string text = absl::StrJoin(manifest.static_shape(), "x");
  if (const absl::optional<ImageSize> size = ParseImageSize(text)) return size;
  return absl::DataLossError(absl::StrCat("static_shape wants a height and a width from 1 to ", kMaxImageSide,
                                          " and at most ", kMaxImagePixels, " pixels, has ", text));
}

std::string StaticShapeText(const Manifest& manifest) {
  if (manifest.static_shape().empty()) return "";
  return absl::StrCat("only of ", absl::StrJoin(manifest.static_shape(), "x"), " pixels, height x width");
}

}  // namespace modelport
