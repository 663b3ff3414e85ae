#include "common/artifact/artifact_file.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {

absl::StatusOr<ArtifactFile> ArtifactFile::Open(const std::string& path) {
  ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<std::vector<ZipRecord>> records = ReadZipDirectory(file->bytes(), ZipMethods::kStoredAndDeflated);
  if (!records.ok()) return Annotate(records.status(), path);
  return ArtifactFile(path, std::move(file), *std::move(records));
}

const ZipRecord* ArtifactFile::Find(absl::string_view path) const {
  const std::string name = absl::StrCat("archive/", path);
  const auto found =
      std::find_if(records_.begin(), records_.end(), [&](const ZipRecord& record) { return record.name == name; });
  return found == records_.end() ? nullptr : &*found;
}

}  // namespace modelport
