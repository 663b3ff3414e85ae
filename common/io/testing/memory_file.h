#ifndef MODELPORT_COMMON_IO_TESTING_MEMORY_FILE_H_
#define MODELPORT_COMMON_IO_TESTING_MEMORY_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/io/file_descriptor.h"

namespace modelport {

// A file in memory, for functions that open a path. The file ends with this object. Ends the process if there is no
// memory for it.
class MemoryFile {
 public:
  explicit MemoryFile(absl::string_view bytes) : file_(memfd_create("memory", MFD_CLOEXEC)) {
    if (write(file_.number(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) return;
    std::perror("a file in memory");
    std::abort();
  }

  std::string path() const { return absl::StrCat("/proc/self/fd/", file_.number()); }

 private:
  const FileDescriptor file_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_TESTING_MEMORY_FILE_H_
