// What an entry point takes and gives, as one line of text each.
#ifndef MODELPORT_COMMON_MANIFEST_ENTRY_POINT_TEXT_H_
#define MODELPORT_COMMON_MANIFEST_ENTRY_POINT_TEXT_H_

#include <string>

#include "common/manifest/manifest.pb.h"

namespace modelport {

// "forward(x, input_size=518) -> Tensor".
std::string EntryPointSignature(const Manifest::EntryPoint& entry_point);

// "Tensor [B, 3, H, W], uint8 or floating, 0 to 1, any size".
std::string InputText(const Manifest::Input& input);

// "[B, H, W], float32, metres, larger is farther, 0 to 20".
std::string OutputText(const Manifest::Result& output);

// How many methods of the artifact are not entry points, if it states some; else 0.
int InternalMethods(const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_ENTRY_POINT_TEXT_H_
