#include "common/io/partial_name.h"

#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace modelport {
namespace {

constexpr int kSlots = 16;
constexpr int kNoSlot = -1;

// A signal handler may use neither locks nor the heap, so the names lie in static memory.
struct Slot {
  std::atomic<bool> taken;  // By a PartialName.
  std::atomic<bool> armed;  // `path` is whole and to be removed.
  char path[PATH_MAX];
};
Slot slots[kSlots];

void RemovePartialFiles(int signal_number) {
  for (Slot& slot : slots) {
    if (slot.armed) unlink(slot.path);
  }
  // The handler was installed for one signal only, so this one ends the process.
  raise(signal_number);
}

// A signal that is ignored, as under nohup, stays ignored, and one that the program handles is its own affair.
void InstallHandler(int signal_number) {
  struct sigaction action;
  if (sigaction(signal_number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action = {};
  action.sa_handler = RemovePartialFiles;
  action.sa_flags = SA_RESETHAND;
  sigaction(signal_number, &action, nullptr);
}

int TakeSlot(const std::string& path) {
  if (path.size() >= PATH_MAX) return kNoSlot;
  for (int i = 0; i < kSlots; ++i) {
    if (slots[i].taken.exchange(true)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].armed = true;
    return i;
  }
  return kNoSlot;
}

}  // namespace

PartialName::PartialName(const std::string& path) : path_(path), slot_(TakeSlot(path)) {
  static const bool installed = [] {
    for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) InstallHandler(signal_number);
    return true;
  }();
  static_cast<void>(installed);
}

PartialName::~PartialName() {
  if (!released_) unlink(path_.c_str());
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
