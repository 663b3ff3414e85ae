// The manifest of an artifact.
#include <string>

#include "common/manifest/manifest.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view json = modelport::FuzzText(data, size);
  modelport::ParseKnownFields(json);
  const absl::StatusOr<modelport::Manifest> manifest = modelport::ParseManifest(json, "m.manifest.json");
  modelport::FuzzCheckFileError(manifest.status());
  if (!manifest.ok()) return 0;
  const absl::StatusOr<std::string> written = modelport::WriteManifest(*manifest);
  modelport::FuzzCheck(written.ok() && *written == json, "a manifest that is read is written with the same bytes");
  return 0;
}
