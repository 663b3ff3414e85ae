// Little-endian numbers and runs of bytes: read without a copy, and written.
#ifndef MODELPORT_COMMON_IO_BYTE_READER_H_
#define MODELPORT_COMMON_IO_BYTE_READER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {

// The little-endian number at `offset` of `bytes`, which must contain all bytes of it.
template <typename T>
T LoadNumber(absl::string_view bytes, size_t offset) {
  static_assert(std::is_arithmetic_v<T>);
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// A reader that steps through bytes and never reads past their end.
class ByteReader {
 public:
  // Starts at byte `offset` of `bytes`, or at its end if there are fewer.
  explicit ByteReader(absl::string_view bytes, uint64_t offset = 0)
      : bytes_(bytes), offset_(offset < bytes.size() ? offset : bytes.size()) {}

  size_t offset() const { return offset_; }
  size_t remaining() const { return bytes_.size() - offset_; }

  // The next little-endian number; nullopt, and nothing is read, if too few bytes remain.
  template <typename T>
  absl::optional<T> ReadNumber() {
    if (remaining() < sizeof(T)) return absl::nullopt;
    offset_ += sizeof(T);
    return LoadNumber<T>(bytes_, offset_ - sizeof(T));
  }

  // The next `size` bytes, borrowed; nullopt, and nothing is read, if too few remain.
  absl::optional<absl::string_view> ReadBytes(uint64_t size) {
    if (remaining() < size) return absl::nullopt;
    const absl::string_view bytes = bytes_.substr(offset_, size);
    offset_ += size;
    return bytes;
  }

  // The bytes up to the next newline, which is read as well; nullopt, and nothing is read, if there is none.
  absl::optional<absl::string_view> ReadLine() {
    const size_t newline = bytes_.find('\n', offset_);
    if (newline == absl::string_view::npos) return absl::nullopt;
    const absl::string_view line = bytes_.substr(offset_, newline - offset_);
    offset_ = newline + 1;
    return line;
  }

 private:
  absl::string_view bytes_;
  size_t offset_;
};

// The bytes of `number`, lowest first.
template <typename T>
std::string LittleEndian(T number) {
  static_assert(std::is_arithmetic_v<T>);
  return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
}

// The bytes of all of `numbers`.
template <typename T>
std::string LittleEndian(const std::vector<T>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_BYTE_READER_H_
