#ifndef MODELPORT_COMMON_ARCHIVE_ARCHIVE_PIECES_H_
#define MODELPORT_COMMON_ARCHIVE_ARCHIVE_PIECES_H_

#include <caffe2/serialize/read_adapter_interface.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// An archive in memory, put together from pieces, of which the large ones stay where they are.
class ArchivePieces : public caffe2::serialize::ReadAdapterInterface {
 public:
  // Adds `bytes` at the end, which must outlive this.
  void Append(absl::string_view bytes);
  // Adds a copy of `bytes`, in one piece with a copy that was added just before.
  void AppendCopy(absl::string_view bytes);

  // The `size` bytes from `position` on, if they lie in one piece; else an empty view. Valid until something is added.
  absl::string_view View(uint64_t position, size_t size) const;

  // Whether `bytes` are the archive's.
  bool Equals(absl::string_view bytes) const;

  size_t size() const override { return size_; }
  size_t read(uint64_t position, void* buffer, size_t size, const char* what) const override;

 private:
  std::deque<std::string> copies_;
  std::map<uint64_t, absl::string_view> pieces_;  // By position; none is empty.
  uint64_t size_ = 0;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARCHIVE_ARCHIVE_PIECES_H_
