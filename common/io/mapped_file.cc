#include "common/io/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/io/input_record.h"
#include "common/io/signals.h"
#include "common/status/status_macros.h"
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

absl::Status SystemError(const std::string& path) {
  if (errno == ENOENT) return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  return absl::ErrnoToStatus(errno, path);
}

// Whether a process has the file open for writing, itself or through a mapping. Only a file without writers gives a
// lease for reading, which is given back at once. False if the system does not tell.
bool HasWriter(int descriptor) {
  // Whoever opens the file for writing meanwhile makes the kernel send this signal, which does nothing by default.
  if (fcntl(descriptor, F_SETSIG, SIGURG) != 0) return false;
  if (fcntl(descriptor, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
  fcntl(descriptor, F_SETLEASE, F_UNLCK);
  return false;
}

// A regular file, open for reading.
struct RegularFile {
  FileDescriptor descriptor;
  struct stat info;
};

absl::StatusOr<RegularFile> OpenRegular(const std::string& path, MappedFile::Use use) {
  const bool is_named = use == MappedFile::Use::kNamed;
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | (is_named ? O_NOFOLLOW : 0)));
  if (!file.ok() && is_named && errno == ELOOP) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a link; put the file itself there"));
  }
  if (!file.ok()) return SystemError(path);
  struct stat info;
  if (fstat(file.number(), &info) != 0) return SystemError(path);
  if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError(absl::StrCat(path, ": is a folder, not a file"));
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError(absl::StrCat(path, ": is not a regular file"));
  if (use != MappedFile::Use::kReplaced) RecordInput(path, info);
  return RegularFile{std::move(file), info};
}

// Memory of `size` bytes; of the file, or without one of this process alone. Empty if there is none.
absl::string_view Map(size_t size, int protection, int file) {
  void* const data = mmap(nullptr, size, protection, MAP_PRIVATE | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
  return data == MAP_FAILED ? absl::string_view() : absl::string_view(static_cast<const char*>(data), size);
}

// Reads the whole file into `bytes`.
absl::Status ReadAll(const std::string& path, int file, absl::string_view bytes) {
  char* const data = const_cast<char*>(bytes.data());
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t read = pread(file, data + done, bytes.size() - done, static_cast<off_t>(done));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return SystemError(path);
    if (read == 0) return absl::DataLossError(absl::StrCat(path, ": was truncated while it was read"));
    done += static_cast<size_t>(read);
  }
  return absl::OkStatus();
}

bool SameTime(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

}  // namespace

MappedRange::MappedRange(absl::string_view bytes, int descriptor, const std::string& path)
    : slot_(TakeSlot(bytes, descriptor, path)) {
  static const bool added = (AddLastStep(TellOfMissingBytes), true);
  static_cast<void>(added);
}

MappedRange::~MappedRange() { ranges.Free(slot_); }

MappedFile::MappedFile(std::string path, FileDescriptor file, const struct stat& opened, absl::string_view bytes)
    : path_(std::move(path)),
      file_(std::move(file)),
      opened_(opened),
      had_writer_(HasWriter(file_.number())),
      bytes_(bytes),
      range_(bytes_, file_.number(), path_) {}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path, Use use) {
  ASSIGN_OR_RETURN(RegularFile file, OpenRegular(path, use));
  const size_t size = static_cast<size_t>(file.info.st_size);
  absl::string_view bytes;
  if (size > 0) {  // mmap rejects an empty mapping.
    bytes = Map(size, PROT_READ, file.descriptor.number());
    if (bytes.empty()) return SystemError(path);
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(path, std::move(file.descriptor), file.info, bytes));
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::OpenCopy(const std::string& path, Use use) {
  ASSIGN_OR_RETURN(RegularFile file, OpenRegular(path, use));
  const size_t size = static_cast<size_t>(file.info.st_size);
  absl::string_view bytes;
  if (size > 0) {
    bytes = Map(size, PROT_READ | PROT_WRITE, -1);
    if (bytes.empty()) return SystemError(path);
  }
  const int descriptor = file.descriptor.number();
  std::shared_ptr<const MappedFile> copy(new MappedFile(path, std::move(file.descriptor), file.info, bytes));
  RETURN_IF_ERROR(ReadAll(path, descriptor, bytes));
  return copy;
}

absl::Status MappedFile::CheckUnchanged() const {
  if (had_writer_) {
    return absl::FailedPreconditionError(
        absl::StrCat(path_, ": another program has it open for writing, and may change it while it is read",
                     "\n  run this again when nothing writes to the file"));
  }
  struct stat now;
  if (fstat(file_.number(), &now) != 0) return SystemError(path_);
  if (now.st_size == opened_.st_size && SameTime(now.st_mtim, opened_.st_mtim) &&
      SameTime(now.st_ctim, opened_.st_ctim)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(path_, ": changed while it was read\n  run this again when nothing writes to the file"));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace modelport
