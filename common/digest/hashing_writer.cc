#include "common/digest/hashing_writer.h"

namespace modelport {

absl::Status HashingWriter::Write(absl::string_view bytes) {
  size_ += bytes.size();
  digest_.AppendCopy(bytes);
  return out_.Write(bytes);
}

absl::Status HashingWriter::WriteLasting(absl::string_view bytes) {
  size_ += bytes.size();
  digest_.Append(bytes);
  return out_.WriteLasting(bytes);
}

}  // namespace modelport
