#include "common/io/partial_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "common/io/fatal_signal.h"

namespace modelport {
namespace {

constexpr absl::string_view kSuffix = ".partial";
constexpr size_t kDigits = 6;

constexpr int kSlots = 16;
constexpr int kNoSlot = -1;

// A signal handler may use neither locks nor the heap, so the names lie in static memory.
struct Slot {
  std::atomic<bool> taken;  // By a PartialName.
  std::atomic<bool> armed;  // `path` is whole and to be removed.
  pid_t process;            // That made it; a process that is forked later leaves it alone.
  char path[PATH_MAX];
};
Slot slots[kSlots];

// System calls only, since a signal handler calls it.
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
  for (Slot& slot : slots) {
    if (slot.armed && slot.process == getpid()) Remove(slot.path);
  }
  return false;
}

int TakeSlot(const std::string& path) {
  if (path.size() >= PATH_MAX) return kNoSlot;
  for (int i = 0; i < kSlots; ++i) {
    if (slots[i].taken.exchange(true)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].process = getpid();
    slots[i].armed = true;
    return i;
  }
  return kNoSlot;
}

// What the partial names for `place` begin with.
std::string Prefix(const OutputPlace& place) {
  constexpr size_t kLongestName = 200;  // Of the 255 bytes that file systems allow.
  return absl::StrCat(".", place.name.substr(0, kLongestName), ".");
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
  if (slot_ != kNoSlot && !released_) {
    slots[slot_].armed = false;
    slots[slot_].taken = false;
  }
  released_ = true;
}

}  // namespace modelport
