#include "common/io/partial_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "common/io/fatal_signal.h"

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

}  // namespace modelport
