#ifndef MODELPORT_BENCH_OWN_FOLDER_H_
#define MODELPORT_BENCH_OWN_FOLDER_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace modelport {

// A new folder. The destructor removes it with all its files.
class OwnFolder {
 public:
  // Makes the folder in the folder `parent`, whose other files are never touched. Fails with the error of mkdtemp.
  static absl::StatusOr<OwnFolder> Create(const std::string& parent);

  OwnFolder(OwnFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  OwnFolder& operator=(OwnFolder&&) = delete;
  ~OwnFolder();

  const std::string& path() const { return path_; }

 private:
  explicit OwnFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;  // Empty: moved away.
};

}  // namespace modelport

#endif  // MODELPORT_BENCH_OWN_FOLDER_H_
