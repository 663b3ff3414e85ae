#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_ARTIFACT_FILE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_ARTIFACT_FILE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/zip_directory.h"
#include "common/io/mapped_file.h"
#include "common/module_tree/module_tree.h"
#include "common/tensor/dtype.h"

namespace modelport {

// The folder of all records in every archive that Modelport writes, with a slash at its end.
inline constexpr absl::string_view kArchiveFolder = "archive/";

// An untrusted artifact: the records of its file, mapped into memory. LibTorch does not read the file.
class ArtifactFile {
 public:
  // Opens the zip archive `path`. Messages begin with the path.
  //   DataLoss        truncated, damaged, or not a zip archive
  //   InvalidArgument another kind of file, which the message names
  //   Unimplemented   encrypted, or compressed in a way that TorchScript does not use
  //   others          as MappedFile::Open
  static absl::StatusOr<ArtifactFile> Open(const std::string& path);

  // The same for `file`, which was opened at `path`.
  static absl::StatusOr<ArtifactFile> Read(const std::string& path, std::shared_ptr<const MappedFile> file);

  const std::string& path() const { return path_; }
  absl::string_view bytes() const { return file_->bytes(); }
  const MappedFile& mapped_file() const { return *file_; }
  const std::vector<ZipRecord>& records() const { return records_; }

  // The record at `path` below kArchiveFolder, such as "data.pkl"; null if there is none.
  const ZipRecord* Find(absl::string_view path) const;

 private:
  ArtifactFile(std::string path, std::shared_ptr<const MappedFile> file, std::vector<ZipRecord> records);

  std::string path_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<ZipRecord> records_;
  absl::flat_hash_map<absl::string_view, size_t> indices_;  // The index in records_ of each name.
};

// The records of an artifact that hold its tensors, one for each of `slots`, in whose order an archive of Modelport
// numbers them. Their elements are of `dtype`, where a slot names none.
//   DataLoss  a record is missing, is compressed or has another size, or there are more than slots
absl::StatusOr<std::vector<const ZipRecord*>> TensorRecords(const ArtifactFile& file, const std::vector<Slot>& slots,
                                                            DType dtype);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_ARTIFACT_FILE_H_
