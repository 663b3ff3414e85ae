#include "bench/own_folder.h"

#include <errno.h>
#include <stdlib.h>

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace modelport {

absl::StatusOr<OwnFolder> OwnFolder::Create(const std::string& parent) {
  std::string path = absl::StrCat(parent, "/modelport_bench_XXXXXX");
  if (mkdtemp(path.data()) == nullptr) {
    return absl::ErrnoToStatus(errno, absl::StrCat(parent, ": cannot make a folder in it"));
  }
  return OwnFolder(std::move(path));
}

OwnFolder::~OwnFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace modelport
