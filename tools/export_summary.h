#ifndef MODELPORT_TOOLS_EXPORT_SUMMARY_H_
#define MODELPORT_TOOLS_EXPORT_SUMMARY_H_

#include <string>

#include "absl/time/time.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

// The short table that ends an export: model, target, source, tensors, parameters, size, layout, the state dict that
// was taken and what was left out, changes, runtimes, checks and time.
std::string ExportSummary(const Manifest& manifest, const std::string& out, absl::Duration time);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_EXPORT_SUMMARY_H_
