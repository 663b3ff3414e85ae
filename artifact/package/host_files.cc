#include "artifact/package/host_files.h"

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "targets/targets.h"

namespace modelport {

absl::Status WriteHostFiles(const Manifest& manifest, const std::string& folder) {
  ASSIGN_OR_RETURN(const Target* const target, FindTarget(manifest.target()));
  RETURN_IF_ERROR(CheckHasPackages(*target));
  ASSIGN_OR_RETURN(const std::vector<PackageFile> files, target->package(manifest));
  for (const PackageFile& file : files) {
    RETURN_IF_ERROR(OutputFile::WriteWhole(absl::StrCat(folder, "/", file.name), file.text));
  }
  return absl::OkStatus();
}

}  // namespace modelport
