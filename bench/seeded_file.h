#ifndef MODELPORT_BENCH_SEEDED_FILE_H_
#define MODELPORT_BENCH_SEEDED_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "registry/registry.h"

namespace modelport {

// Writes the published checkpoint of `entry` with seeded weights as a safetensors file. A key `renamed`, if not empty,
// is stored under another name, so that the file fits no more.
absl::Status WriteSeededSafetensors(const CatalogEntry& entry, const std::string& path, absl::string_view renamed = "");

// The same as torch.save writes it since PyTorch 1.6.
absl::Status WriteSeededTorchZip(const CatalogEntry& entry, const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_BENCH_SEEDED_FILE_H_
