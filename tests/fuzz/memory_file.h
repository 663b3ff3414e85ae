#ifndef MODELPORT_TESTS_FUZZ_MEMORY_FILE_H_
#define MODELPORT_TESTS_FUZZ_MEMORY_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/io/file_descriptor.h"
#include "tests/fuzz/fuzz_check.h"

namespace modelport {

// A file in memory, for functions that open a path. The file ends with this object.
class MemoryFile {
 public:
  explicit MemoryFile(absl::string_view bytes) : file_(memfd_create("input", MFD_CLOEXEC)) {
    FuzzCheck(write(file_.number(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
              "the input is written to memory");
  }

  std::string path() const { return absl::StrCat("/proc/self/fd/", file_.number()); }

 private:
  const FileDescriptor file_;
};

}  // namespace modelport

#endif  // MODELPORT_TESTS_FUZZ_MEMORY_FILE_H_
