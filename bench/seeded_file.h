#ifndef MODELPORT_BENCH_SEEDED_FILE_H_
#define MODELPORT_BENCH_SEEDED_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "registry/registry.h"

namespace modelport {

// Writes the published checkpoint of `entry`, with seeded weights and zeros for slots that are not floating, as a
// safetensors file. The key `renamed`, if not empty, is stored under another name, so that the file does not fit
// `entry`.
//   ResourceExhausted  the file cannot be written
absl::Status WriteSeededSafetensors(const CatalogEntry& entry, const std::string& path, absl::string_view renamed = "");

// Writes the same checkpoint in torch.save's format since PyTorch 1.6, a ZIP archive.
absl::Status WriteSeededTorchZip(const CatalogEntry& entry, const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_BENCH_SEEDED_FILE_H_
