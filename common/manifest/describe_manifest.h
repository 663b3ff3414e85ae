// What a manifest says of the weights, their source, the proof and the entry points, for people.
#ifndef MODELPORT_COMMON_MANIFEST_DESCRIBE_MANIFEST_H_
#define MODELPORT_COMMON_MANIFEST_DESCRIBE_MANIFEST_H_

#include <string>
#include <utility>
#include <vector>

#include "common/manifest/manifest.pb.h"

namespace modelport {

// What the request states, by names for people, in the order of its fields: {"target", "onnx"}, {"sizes", "H=518,
// W=518"}. What was not asked for is left out.
std::vector<std::pair<std::string, std::string>> RequestTexts(const Manifest& manifest);

// The same without what is told of every artifact or file: its model, name, dtype, opset, data file and licence.
std::vector<std::pair<std::string, std::string>> RequestedOptions(const Manifest& manifest);

// "sha256:HEX", "seeded:v1:0", or of several files "backbone sha256:HEX, linear_head sha256:HEX".
std::string WeightsSource(const Manifest& manifest);

// The same for people: the manifest within an artifact does not name a checkpoint, and the text says which one does.
std::string WeightsSourceText(const Manifest& manifest);

// "original", which seeded weights have, too, or of several files "backbone transformers, linear_head original".
std::string WeightsLayout(const Manifest& manifest);

// "the published file" or "not the published file", of several files "backbone the published file, linear_head not the
// published file"; "" if the plugin states no sha256, or for seeded weights.
std::string WeightsOrigin(const Manifest& manifest);

// Whether the weights are the published ones. kNo for seeded weights, and if any file is another than the published
// one; kUnknown if the plugin states no sha256 for some file and none is known to be another.
enum class Published { kYes, kNo, kUnknown };
Published HasPublishedWeights(const Manifest& manifest);

// Whether the licence of the published weights excludes commercial use, as its SPDX name tells: "CC-BY-NC-4.0".
bool ExcludesCommercialUse(const Manifest& manifest);

// The runtimes that load the artifact: "LibTorch 1.6 and newer", "what loads ONNX of opset 17".
std::string RunsIn(const Manifest& manifest);

// The largest difference of two outputs as a part of the output's range; 0: all are bitwise equal. Outputs that are
// equal only on the same memory do not count.
double LargestDifference(const Manifest::RoundTrip& round_trip);

// What was proven: "643 tensors bitwise equal, 534 methods equal, 3 outputs bitwise equal", or "none (--noverify)".
std::string DescribeProof(const Manifest::RoundTrip& round_trip);

// "forward(x, input_size=518) -> Tensor".
std::string EntryPointSignature(const Manifest::EntryPoint& entry_point);

// "Tensor [B, 3, H, W], uint8 or floating, 0 to 1, any size".
std::string InputText(const Manifest::Input& input);

// "[B, H, W], float32, metres, larger is farther, 0 to 20".
std::string OutputText(const Manifest::Result& output);

// How many methods of the artifact are not entry points, if it states some; else 0.
int InternalMethods(const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_DESCRIBE_MANIFEST_H_
