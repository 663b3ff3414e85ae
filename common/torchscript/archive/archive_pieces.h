#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_ARCHIVE_PIECES_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_ARCHIVE_PIECES_H_

#include <caffe2/serialize/inline_container.h>
#include <caffe2/serialize/read_adapter_interface.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/io/writer.h"

namespace modelport {

// An archive in memory as a list of pieces, which LibTorch can read. Neither Write nor WriteLasting fails.
class ArchivePieces : public caffe2::serialize::ReadAdapterInterface, public Writer {
 public:
  // Copies `bytes`. Copies in a row make one piece.
  absl::Status Write(absl::string_view bytes) override;
  // Makes a piece that refers to `bytes`.
  absl::Status WriteLasting(absl::string_view bytes) override;

  // The `size` bytes from `position` on if one piece contains them, else an empty view. Valid until the next write.
  absl::string_view View(uint64_t position, size_t size) const;

  // Whether the archive consists of `bytes`.
  bool Equals(absl::string_view bytes) const;

  size_t size() const override { return size_; }
  size_t read(uint64_t position, void* buffer, size_t size, const char* what) const override;

 private:
  std::deque<std::string> copies_;
  std::map<uint64_t, absl::string_view> pieces_;  // By position. No piece is empty.
  uint64_t size_ = 0;
};

// The content of the record `path` of `archive`, which `reader` reads. A tensor that lies in one piece is not copied;
// other content lies in `copy`. Throws the exceptions of LibTorch.
absl::string_view ReadRecord(caffe2::serialize::PyTorchStreamReader& reader, const ArchivePieces& archive,
                             const std::string& path, std::string* copy);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_ARCHIVE_PIECES_H_
