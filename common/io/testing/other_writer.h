// Stands for another program that may change a file while a tool reads it.
#ifndef MODELPORT_COMMON_IO_TESTING_OTHER_WRITER_H_
#define MODELPORT_COMMON_IO_TESTING_OTHER_WRITER_H_

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace modelport {

// A mapping of the file at `path` through which its bytes can be changed. The file itself is closed.
class WritableMapping {
 public:
  explicit WritableMapping(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    bytes_ = static_cast<char*>(mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    close(file);
    // The first change leaves a trace in the inode, and later ones may not.
    *bytes_ = *static_cast<volatile char*>(bytes_);
  }
  ~WritableMapping() { munmap(bytes_, 1); }
  WritableMapping(const WritableMapping&) = delete;
  WritableMapping& operator=(const WritableMapping&) = delete;

  // Changes the first byte.
  void Change() { *bytes_ ^= 1; }

 private:
  char* bytes_;
};

// Whether the file system of `path` tells who has a file open.
inline bool HasLeases(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool has = fcntl(file, F_SETLEASE, F_RDLCK) == 0;
  close(file);
  return has;
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_TESTING_OTHER_WRITER_H_
