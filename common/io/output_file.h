#ifndef MODELPORT_COMMON_IO_OUTPUT_FILE_H_
#define MODELPORT_COMMON_IO_OUTPUT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

class OutputFile {
 public:
  static absl::StatusOr<OutputFile> Create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  ~OutputFile();
  absl::Status Write(absl::string_view bytes);
  std::string ReadablePath() const;
  absl::Status Commit();

 private:
  OutputFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_;
  std::string path_;
};

absl::Status CheckNotSameFile(const std::string& output, const std::string& input);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_OUTPUT_FILE_H_
