#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_SCRIPT_ARCHIVE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_SCRIPT_ARCHIVE_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// The records of an untrusted TorchScript archive that LibTorch reads: code, pickles, tensors and the version of the
// format. Other records, such as a manifest, are left out.
class ScriptArchive {
 public:
  struct Record {
    absl::string_view path;     // Below the archive's folder: "code/__torch__.py".
    absl::string_view content;  // Not compressed.
  };

  // Reads `file`, which must outlive the result. Compressed records may inflate to 64 MiB in total. It checks the
  // CRC-32 of each record except those of stored tensors. Only the contents of stored tensors refer to `file`; the
  // rest is copied, so that another process that writes to the file does not change what was checked.
  //   DataLoss            truncated, damaged, or not a zip archive
  //   InvalidArgument     an archive without the constants of TorchScript
  //   Unimplemented       encrypted, in several volumes, or compressed by another method than deflate
  //   ResourceExhausted   compressed records are too large
  static absl::StatusOr<ScriptArchive> Read(absl::string_view file);

  const std::vector<Record>& records() const { return records_; }
  // The record `path`; null if there is none.
  const Record* Find(absl::string_view path) const;

 private:
  std::vector<Record> records_;     // In the order of the file.
  std::deque<std::string> copies_;  // What records_ refers to: all but the contents of stored tensors.
};

// Checks that `file` is none of the kinds of files that people give in the place of TorchScript, by its first bytes and,
// of a zip archive, by the names of its records. It may be damaged, and be anything else. Runs none of its code.
//   InvalidArgument   names its kind: "not a TorchScript file: a safetensors file, which has weights and no code"
absl::Status CheckNoOtherFile(absl::string_view file);

// Checks that `file` may be a TorchScript file.
//   InvalidArgument   as CheckNoOtherFile, and for what is no zip archive
//   DataLoss          it is empty or has a few bytes
absl::Status CheckScriptFile(absl::string_view file);

// True for the path of a record with TorchScript code.
bool IsCode(absl::string_view path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_SCRIPT_ARCHIVE_H_
