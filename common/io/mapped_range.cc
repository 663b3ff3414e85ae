#include "common/io/mapped_range.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "common/io/fatal_signal.h"
#include "common/io/signal_slots.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr size_t kLongestPath = 1000;

struct Range {
  uintptr_t begin;
  uintptr_t end;  // Of the last page.
  int64_t size;   // Of the file when it was mapped.
  int descriptor;
  char path[4 * kLongestPath];  // As Printable spells it.
};
SignalSlots<Range, kMappedRanges> ranges;

void WriteToStderr(const char* path, const char* what) {
  iovec parts[] = {{const_cast<char*>("DATA_LOSS: "), 0},
                   {const_cast<char*>(path), 0},
                   {const_cast<char*>(what), 0},
                   {const_cast<char*>("\n  copy it to a place where nothing changes it, and start again\n"), 0}};
  for (iovec& part : parts) part.iov_len = std::strlen(static_cast<const char*>(part.iov_base));
  static_cast<void>(writev(STDERR_FILENO, parts, std::size(parts)) < 0);
}

void TellWhatIsMissing(const Range& range) {
  struct stat now;
  const bool shorter = fstat(range.descriptor, &now) == 0 && now.st_size < range.size;
  WriteToStderr(range.path, shorter ? ": was truncated while it was read" : ": its disk cannot read all of it");
}

bool TellOfMissingBytes(int signal_number, const siginfo_t& info) {
  const bool from_kernel = info.si_code > 0;  // A process that sends SIGBUS has a code of 0 or less.
  if (signal_number != SIGBUS || !from_kernel) return false;
  const uintptr_t address = reinterpret_cast<uintptr_t>(info.si_addr);
  bool told = false;
  ranges.ForEach([&](const Range& range) {
    if (told || address < range.begin || address >= range.end) return;
    TellWhatIsMissing(range);
    told = true;
  });
  return told;
}

int TakeSlot(absl::string_view bytes, int descriptor, const std::string& path) {
  if (bytes.empty()) return ranges.kNoSlot;
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  return ranges.Take([&](Range& range) {
    range.begin = reinterpret_cast<uintptr_t>(bytes.data());
    range.end = range.begin + (bytes.size() + page - 1) / page * page;
    range.size = static_cast<int64_t>(bytes.size());
    range.descriptor = descriptor;
    const std::string printable = Brief(path, kLongestPath).substr(0, sizeof(range.path) - 1);
    std::memcpy(range.path, printable.c_str(), printable.size() + 1);
  });
}

}  // namespace

MappedRange::MappedRange(absl::string_view bytes, int descriptor, const std::string& path)
    : slot_(TakeSlot(bytes, descriptor, path)) {
  static const bool added = (AddLastStep(TellOfMissingBytes), true);
  static_cast<void>(added);
}

MappedRange::~MappedRange() { ranges.Free(slot_); }

}  // namespace modelport
