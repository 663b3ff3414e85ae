#include "common/torchscript/archive/archive_pieces.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>

#include "absl/strings/match.h"

namespace modelport {

absl::Status ArchivePieces::Write(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const bool continues =
      !copies_.empty() && !pieces_.empty() && pieces_.rbegin()->second.data() == copies_.back().data();
  if (!continues) copies_.emplace_back();
  std::string& copy = copies_.back();
  const uint64_t start = size_ - copy.size();
  copy.append(bytes.data(), bytes.size());
  pieces_[start] = copy;
  size_ += bytes.size();
  return absl::OkStatus();
}

absl::Status ArchivePieces::WriteLasting(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  pieces_[size_] = bytes;
  size_ += bytes.size();
  return absl::OkStatus();
}

absl::string_view ArchivePieces::View(uint64_t position, size_t size) const {
  if (position >= size_) return "";
  const auto& [start, piece] = *std::prev(pieces_.upper_bound(position));
  const uint64_t offset = position - start;
  return size <= piece.size() - offset ? piece.substr(offset, size) : "";
}

bool ArchivePieces::Equals(absl::string_view bytes) const {
  return bytes.size() == size_ && std::all_of(pieces_.begin(), pieces_.end(), [bytes](const auto& piece) {
           return bytes.substr(piece.first, piece.second.size()) == piece.second;
         });
}

size_t ArchivePieces::read(uint64_t position, void* buffer, size_t size, const char*) const {
  size_t count = 0;
  while (count < size && position + count < size_) {
    const auto& [start, piece] = *std::prev(pieces_.upper_bound(position + count));
    const absl::string_view rest = piece.substr(position + count - start, size - count);
    std::memcpy(static_cast<char*>(buffer) + count, rest.data(), rest.size());
    count += rest.size();
  }
  return count;
}

absl::string_view ReadRecord(caffe2::serialize::PyTorchStreamReader& reader, const ArchivePieces& archive,
                             const std::string& path, std::string* copy) {
  if (absl::StartsWith(path, "data/")) {
    const absl::string_view tensor = archive.View(reader.getRecordOffset(path), reader.getRecordSize(path));
    if (!tensor.empty()) return tensor;
  }
  const auto [data, size] = reader.getRecord(path);
  copy->assign(static_cast<const char*>(data.get()), size);
  return *copy;
}

}  // namespace modelport
