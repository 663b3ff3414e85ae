#include "common/io/partial_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <list>
#include <random>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/io/signals.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kSuffix = ".partial";
constexpr size_t kDigits = 6;

// A path that a signal removes.
struct Partial {
  pid_t process;  // The one that made it; a child that is forked later does not remove it.
  char path[PATH_MAX];
};
SignalSlots<Partial, 16> partials;

// Uses system calls only, since a signal handler calls it.
void RemoveFolder(const char* path) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  alignas(dirent64) char entries[4096];
  for (ssize_t size = 1; size > 0;) {
    size = getdents64(folder, entries, sizeof(entries));
    for (ssize_t i = 0; i < size; i += reinterpret_cast<dirent64*>(entries + i)->d_reclen) {
      unlinkat(folder, reinterpret_cast<dirent64*>(entries + i)->d_name, 0);
    }
  }
  close(folder);
  rmdir(path);
}

void Remove(const char* path) {
  if (unlink(path) != 0 && errno == EISDIR) RemoveFolder(path);
}

bool RemovePartialFiles(int, const siginfo_t&) {
  partials.ForEach([](const Partial& partial) {
    if (partial.process == getpid()) Remove(partial.path);
  });
  return false;
}

int TakeSlot(const std::string& path) {
  if (path.size() >= PATH_MAX) return partials.kNoSlot;
  return partials.Take([&](Partial& partial) {
    partial.process = getpid();
    std::memcpy(partial.path, path.c_str(), path.size() + 1);
  });
}

// The start of the partial names for `place`.
std::string Prefix(const OutputPlace& place) {
  constexpr size_t kLongestName = 200;  // File systems allow 255 bytes for the whole name.
  return absl::StrCat(".", place.name.substr(0, kLongestName), ".");
}

// Whether certainly no process has marked the file at `path`. It is not certain if the file cannot be opened.
bool IsUnmarked(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return file.ok() && flock(file.number(), LOCK_EX | LOCK_NB) == 0;
}

bool IsDead(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return false;
  if (S_ISREG(info.st_mode)) return IsUnmarked(path);
  if (!S_ISDIR(info.st_mode)) return false;
  const std::string mark = AliveFile(path);
  return lstat(mark.c_str(), &info) == 0 ? IsUnmarked(mark) : errno == ENOENT;
}

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

std::string MakePartialPath(const OutputPlace& place) {
  std::random_device random;
  return absl::StrFormat("%s/%s%0*x%s", place.folder, Prefix(place), kDigits, random() & 0xffffff, kSuffix);
}

bool IsPartialName(absl::string_view name, const OutputPlace& place) {
  return absl::ConsumePrefix(&name, Prefix(place)) && absl::ConsumeSuffix(&name, kSuffix) && name.size() == kDigits &&
         std::all_of(name.begin(), name.end(), absl::ascii_isxdigit);
}

PartialName::PartialName(const std::string& path) : path_(path), slot_(TakeSlot(path)) {
  static const bool added = (AddLastStep(RemovePartialFiles), true);
  static_cast<void>(added);
}

PartialName::~PartialName() {
  if (!released_) Remove(path_.c_str());
  Release();
}

void PartialName::Release() {
  if (!released_) partials.Free(slot_);
  released_ = true;
}

void MarkAlive(const FileDescriptor& file) { flock(file.number(), LOCK_EX | LOCK_NB); }

std::string AliveFile(const std::string& path) { return path + "/.alive"; }

void RemoveDeadPartials(const OutputPlace& place, const FolderLock&) {
  std::vector<std::string> dead;
  std::error_code error;
  for (fs::directory_iterator entry(place.folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path();
    if (IsPartialName(entry->path().filename().string(), place) && IsDead(path)) dead.push_back(path);
  }
  for (const std::string& path : dead) const PartialName removed(path);
}

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
