#ifndef MODELPORT_TOOLS_REQUEST_EXPORT_SUMMARY_H_
#define MODELPORT_TOOLS_REQUEST_EXPORT_SUMMARY_H_

#include <string>

#include "absl/time/time.h"
#include "common/manifest/manifest.pb.h"
#include "nlohmann/json_fwd.hpp"

namespace modelport {

// The table that ends an export, also into a package: what the manifest says of model, source, weights, file, runtimes
// and checks, then `time`. `out` is the artifact's path.
std::string ExportSummary(const Manifest& manifest, const std::string& out, absl::Duration time);

// The same for a program: {"artifact": PATH, "manifest_path": PATH, "seconds": 3.7, "manifest": {...}}.
nlohmann::ordered_json ExportReport(const Manifest& manifest, const std::string& out, absl::Duration time);

// Lines for stderr about published weights whose licence excludes commercial use, or is none of SPDX's list and not in
// the artifact; "" for all others.
std::string LicenceNote(const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_REQUEST_EXPORT_SUMMARY_H_
