// What several programs ask of a manifest.
#ifndef MODELPORT_COMMON_MANIFEST_MANIFEST_FACTS_H_
#define MODELPORT_COMMON_MANIFEST_MANIFEST_FACTS_H_

#include <google/protobuf/message.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

// The name of an artifact, after which its files are called: "model", or "model_classes" where the manifest's
// field `wrapper` or `method` is "classes", unless its field `name` has another. A word that both have is there once:
// "model_normals" of "model_normal" and "normals".
std::string ArtifactName(absl::string_view model, absl::string_view part);
inline std::string ArtifactName(const Manifest& manifest) {
  if (!manifest.request().name().empty()) return manifest.request().name();
  return ArtifactName(manifest.request().model(),
                      manifest.request().method().empty() ? manifest.request().wrapper() : manifest.request().method());
}

// The most characters in the name of an artifact.
inline constexpr size_t kLongestName = 64;

// Whether an artifact and its node in a host may be called so: a letter, then letters, digits and underscores,
// kLongestName in all at most.
bool IsArtifactName(absl::string_view name);

// What people call the model.
inline const std::string& TitleOf(const Manifest& manifest) {
  return manifest.title().empty() ? manifest.request().model() : manifest.title();
}

// The licence of the weights, or "not stated".
inline std::string LicenceText(const Manifest& manifest) {
  return manifest.weights_licence().empty() ? "not stated" : manifest.weights_licence();
}

// The entry point `forward`, or that of the method that an ONNX file computes in its place; an empty message if the
// manifest states none.
const Manifest::EntryPoint& MainEntryPoint(const Manifest& manifest);

// Its first output, such as the depth of a depth model; an empty message if the manifest states none.
const Manifest::Result& MainOutput(const Manifest& manifest);

// Clears the unit, the direction and the range of each output: what a knob that was set may have changed.
void ClearUnits(Manifest& manifest);

// Whether a node works between two frames of its clip: the one before a time and the one behind it.
bool IsBetweenFrames(const Manifest& manifest);

// Whether a node takes a coarse depth, in the channel behind red, green and blue.
bool TakesCoarseDepth(const Manifest& manifest);

// How many times as high and as wide as its image the output of a host's model is.
int64_t ScaleOf(const Manifest& manifest);

// The arguments of the model that differ from the plugin's: "max_depth=35.0", `separator` between two; "" if there are
// none.
std::string ArgumentsText(const Manifest& manifest, absl::string_view separator = ", ");

// "max_depth=20.0, heads=6": those that the checkpoint does not tell and nobody gave.
std::string AssumedText(const Manifest& manifest);

// The fields in which `stated`, a manifest or a part of one, differs from `expected`, with both values: `dtype:
// "float16" -> "float32"`, `missing: knobs[2]: { ... }`, `unexpected: ...`. Fields in `ignored`, which holds full names
// such as "modelport.Manifest.round_trip", are not compared.
std::vector<std::string> DifferingFields(const google::protobuf::Message& stated,
                                         const google::protobuf::Message& expected,
                                         const std::vector<std::string>& ignored);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_MANIFEST_FACTS_H_
