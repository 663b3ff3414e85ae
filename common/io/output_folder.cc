#include "common/io/output_folder.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/io/sync_folder.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

absl::Status ExistsAlready(const std::string& path) {
  return absl::AlreadyExistsError(absl::StrCat(path, ": exists already; name a new folder (it may lie in this one)"));
}

}  // namespace

OutputFolder::OutputFolder(std::string path, OutputPlace place)
    : path_(std::move(path)),
      place_(std::move(place)),
      partial_(absl::make_unique<PartialName>(MakePartialPath(place_))) {}

absl::StatusOr<OutputFolder> OutputFolder::Create(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) == 0) return ExistsAlready(path);
  ASSIGN_OR_RETURN(OutputPlace place, FindOutputPlace(std::string(absl::StripSuffix(path, "/"))));
  OutputFolder folder(path, std::move(place));
  if (mkdir(folder.partial_path().c_str(), 0777) == 0) return folder;
  const int error = errno;
  folder.partial_->Release();  // What may have the path is not ours.
  return absl::ErrnoToStatus(error, absl::StrCat(path, ": cannot make it in the folder ", folder.place_.folder));
}

absl::Status OutputFolder::Commit() {
  // An empty folder may have come to be at `path`, which nobody misses; anything else makes this fail.
  if (rename(partial_->path().c_str(), place_.Path().c_str()) != 0) {
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) return ExistsAlready(path_);
    return absl::ErrnoToStatus(errno, absl::StrCat(path_, ": cannot take its name"));
  }
  partial_->Release();
  return SyncFolder(place_.folder);
}

}  // namespace modelport
