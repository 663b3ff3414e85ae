#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_COMPARE_ARCHIVE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_COMPARE_ARCHIVE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/torchscript/archive/artifact_file.h"
#include "common/torchscript/archive/module_archive.h"

namespace modelport {

// Compares `file` byte by byte with `expected`, the archive that WriteArchive writes. `slots` are the names of the
// module's tensors in the order of the archive, for messages.
//   DataLoss  names the first record that differs, and its line if it is text, or its slot if it is a tensor
absl::Status CompareArchive(const std::shared_ptr<ArchivePieces>& expected, const ArtifactFile& file,
                            const std::vector<std::string>& slots);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_COMPARE_ARCHIVE_H_
