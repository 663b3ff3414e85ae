#include "common/manifest/manifest_facts.h"

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

std::string ArgumentsText(const Manifest& manifest) {
  return absl::StrJoin(manifest.arguments(), ", ", [](std::string* out, const Manifest::Argument& argument) {
    absl::StrAppend(out, argument.name(), "=", argument.value());
  });
}

}  // namespace modelport
