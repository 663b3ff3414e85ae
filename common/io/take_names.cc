#include "common/io/take_names.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <list>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/io/hold_signals.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// The renames of one commit. They can be undone until this object dies.
class Renames {
 public:
  absl::Status Vacate(const NamedFile& file);
  absl::Status Replace(const NamedFile& file);
  absl::Status Take(const NamedFile& file);

  // Undoes all renames, the last one first. False if one of them cannot be undone.
  bool Undo();

 private:
  struct Undoing {
    std::string from, to;  // Both are empty if the rename cannot be undone.
  };

  absl::Status Rename(const NamedFile& file, const std::string& from, const std::string& to, const Undoing& undoing);

  std::list<PartialName> old_;  // The files that had the names before. The destructor removes them.
  std::vector<Undoing> undoings_;
};

absl::Status Renames::Rename(const NamedFile& file, const std::string& from, const std::string& to,
                             const Undoing& undoing) {
  if (!RenameFile(from, to)) {
    return absl::ErrnoToStatus(errno, absl::StrCat(file.path, ": cannot give it its name"));
  }
  undoings_.push_back(undoing);
  return absl::OkStatus();
}

// Gives a partial name to the old file, if there is one.
absl::Status Renames::Vacate(const NamedFile& file) {
  const std::string path = file.place.Path();
  if (!FindInode(path)) return absl::OkStatus();
  const std::string old = old_.emplace_back(MakePartialPath(file.place)).path();
  const absl::Status status = Rename(file, path, old, {old, path});
  if (!status.ok()) old_.back().Release();
  return status;
}

// Gives the file its name. If there is an old file, the name leads to one of the two at any moment.
absl::Status Renames::Replace(const NamedFile& file) {
  const std::string path = file.place.Path();
  if (!FindInode(path)) return Take(file);
  const std::string old = old_.emplace_back(MakePartialPath(file.place)).path();
  const bool kept = link(path.c_str(), old.c_str()) == 0;  // Some file systems have no links.
  if (!kept) old_.back().Release();
  return Rename(file, file.partial->path(), path, kept ? Undoing{old, path} : Undoing{});
}

// Gives the file its name, which no other file has.
absl::Status Renames::Take(const NamedFile& file) {
  const std::string path = file.place.Path(), partial = file.partial->path();
  return Rename(file, partial, path, {path, partial});
}

bool Renames::Undo() {
  for (; !undoings_.empty(); undoings_.pop_back()) {
    const Undoing& last = undoings_.back();
    if (last.from.empty() || !RenameFile(last.from, last.to)) return false;
  }
  return true;
}

absl::Status RenameAll(const std::vector<NamedFile>& files, const FolderLock& lock, Renames& renames) {
  for (size_t i = files.size(); i-- > 1;) RETURN_IF_ERROR(renames.Vacate(files[i]));
  RETURN_IF_ERROR(renames.Replace(files[0]));
  for (size_t i = 1; i < files.size(); ++i) RETURN_IF_ERROR(renames.Take(files[i]));
  return Annotate(lock.Sync(), files[0].path);
}

// "m.pt is new, m.manifest.json is missing".
std::string DescribeNames(const std::vector<NamedFile>& files, const std::vector<absl::optional<ino_t>>& new_inodes) {
  std::vector<std::string> names;
  for (size_t i = 0; i < files.size(); ++i) {
    const absl::optional<ino_t> inode = FindInode(files[i].place.Path());
    names.push_back(absl::StrCat(files[i].path, !inode                   ? " is missing"
                                                : inode == new_inodes[i] ? " is new"
                                                                         : " is as it was"));
  }
  return absl::StrJoin(names, ", ");
}

}  // namespace

absl::Status TakeNames(const std::vector<NamedFile>& files, const FolderLock& lock) {
  std::vector<absl::optional<ino_t>> new_inodes;
  for (const NamedFile& file : files) new_inodes.push_back(FindInode(file.partial->path()));
  const HoldSignals hold;
  Renames renames;
  const absl::Status status = RenameAll(files, lock, renames);
  if (status.ok()) {
    for (const NamedFile& file : files) file.partial->Release();
    return status;
  }
  if (renames.Undo()) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(), "\n  it could not be undone: ",
                                                  DescribeNames(files, new_inodes), "\n  run it again"));
}

absl::optional<ino_t> FindInode(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 ? absl::make_optional(info.st_ino) : absl::nullopt;
}

bool RenameFile(const std::string& from, const std::string& to) {
  const absl::optional<ino_t> inode = FindInode(from);
  if (rename(from.c_str(), to.c_str()) == 0) return true;
  const int error = errno;
  const bool renamed = inode && FindInode(to) == inode && !FindInode(from);
  errno = error;
  return renamed;
}

}  // namespace modelport
