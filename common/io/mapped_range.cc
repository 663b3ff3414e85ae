#include "common/io/mapped_range.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "common/io/fatal_signal.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr int kSlots = 16;
constexpr int kNoSlot = -1;
constexpr size_t kLongestPath = 1000;

// A signal handler may use neither locks nor the heap, so the ranges lie in static memory.
struct Slot {
  std::atomic<bool> taken;
  std::atomic<bool> armed;  // The rest is whole.
  uintptr_t begin;
  uintptr_t end;  // Of the last page.
  int64_t size;   // Of the file when it was mapped.
  int descriptor;
  char path[4 * kLongestPath];  // As Printable spells it.
};
Slot slots[kSlots];

void WriteToStderr(const char* path, const char* what) {
  iovec parts[] = {{const_cast<char*>("DATA_LOSS: "), 0},
                   {const_cast<char*>(path), 0},
                   {const_cast<char*>(what), 0},
                   {const_cast<char*>("\n  copy it to a place where nothing changes it, and start again\n"), 0}};
  for (iovec& part : parts) part.iov_len = std::strlen(static_cast<const char*>(part.iov_base));
  static_cast<void>(writev(STDERR_FILENO, parts, std::size(parts)) < 0);
}

bool TellWhatIsMissing(int signal_number, const siginfo_t& info) {
  const bool from_memory = signal_number == SIGBUS && info.si_code > 0;  // And not from another process.
  if (!from_memory) return false;
  const uintptr_t address = reinterpret_cast<uintptr_t>(info.si_addr);
  for (const Slot& slot : slots) {
    if (!slot.armed || address < slot.begin || address >= slot.end) continue;
    struct stat now;
    const bool shorter = fstat(slot.descriptor, &now) == 0 && now.st_size < slot.size;
    WriteToStderr(slot.path, shorter ? ": was truncated while it was read" : ": its disk cannot read all of it");
    return true;
  }
  return false;
}

int TakeSlot(absl::string_view bytes, int descriptor, const std::string& path) {
  if (bytes.empty()) return kNoSlot;
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  for (int i = 0; i < kSlots; ++i) {
    Slot& slot = slots[i];
    if (slot.taken.exchange(true)) continue;
    slot.begin = reinterpret_cast<uintptr_t>(bytes.data());
    slot.end = slot.begin + (bytes.size() + page - 1) / page * page;
    slot.size = static_cast<int64_t>(bytes.size());
    slot.descriptor = descriptor;
    const std::string printable = Brief(path, kLongestPath).substr(0, sizeof(slot.path) - 1);
    std::memcpy(slot.path, printable.c_str(), printable.size() + 1);
    slot.armed = true;
    return i;
  }
  return kNoSlot;
}

}  // namespace

MappedRange::MappedRange(absl::string_view bytes, int descriptor, const std::string& path)
    : slot_(TakeSlot(bytes, descriptor, path)) {
  static const bool added = (AddLastStep(TellWhatIsMissing), true);
  static_cast<void>(added);
}

MappedRange::~MappedRange() {
  if (slot_ == kNoSlot) return;
  slots[slot_].armed = false;
  slots[slot_].taken = false;
}

}  // namespace modelport
