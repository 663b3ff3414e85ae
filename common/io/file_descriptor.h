#ifndef MODELPORT_COMMON_IO_FILE_DESCRIPTOR_H_
#define MODELPORT_COMMON_IO_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace modelport {

// The descriptor of an open file, or a negative number for no file. The destructor closes the file.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() {
    if (number_ >= 0) close(number_);
  }

  int number() const { return number_; }
  bool ok() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_FILE_DESCRIPTOR_H_
