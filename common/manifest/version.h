#ifndef MODELPORT_COMMON_MANIFEST_VERSION_H_
#define MODELPORT_COMMON_MANIFEST_VERSION_H_

namespace modelport {

// The release of Modelport. Every manifest records it.
inline constexpr char kModelportVersion[] = "0.1.0";

// Of the fields of a manifest (manifest.proto).
inline constexpr int kManifestVersion = 3;

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_VERSION_H_
