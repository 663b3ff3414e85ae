#include "common/torchscript/lint/script_file.h"

#include <ATen/Parallel.h>

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/archive/outside_calls.h"
#include "common/torchscript/archive/read_format.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

absl::StatusOr<ScriptArchive> ReadScriptArchive(absl::string_view bytes) {
  RETURN_IF_ERROR(CheckScriptFile(bytes));
  return ScriptArchive::Read(bytes);
}

// Loads a file whose records were checked.
absl::StatusOr<ScriptFile> LoadScriptFile(const ScriptArchive& archive) {
  ASSIGN_OR_RETURN(const ArchiveFormat format, FormatOf(archive));
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadArchive(archive));
  absl::Status outside;
  RETURN_IF_ERROR(CatchTorch([&] { outside = CheckNoOutsideCalls(module); }));
  RETURN_IF_ERROR(outside);
  return ScriptFile{std::move(module), format};
}

}  // namespace

absl::StatusOr<ScriptFile> ReadScriptFile(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const ScriptArchive archive, ReadScriptArchive(bytes));
  return LoadScriptFile(archive);
}

absl::StatusOr<ScriptFile> LoadForeignScript(absl::string_view bytes) {
  // Both processes load what was checked, whatever another process writes to the file meanwhile.
  ASSIGN_OR_RETURN(const ScriptArchive archive, ReadScriptArchive(bytes));
  const auto confined =
      RunConfined(LimitsForScript(bytes.size(), absl::Minutes(2)), [&]() -> absl::StatusOr<std::string> {
        at::set_num_threads(1);  // It cannot start threads.
        RETURN_IF_ERROR(CheckLoadingRunsNothing(archive));
        RETURN_IF_ERROR(LoadScriptFile(archive).status());
        return std::string();
      });
  if (!confined.ok()) return ErrorOfScript(confined.status());
  return LoadScriptFile(archive);
}

// LibTorch copies tensors once, in about 1 ns per byte. To compile code it takes about 150 bytes and 2 us per byte, and
// code is compressed in the file. The constants are enough for 2 MB of code, or 30,000 lines, in a file without
// tensors.
ConfinedLimits LimitsForScript(size_t file_size, absl::Duration least_time) {
  const absl::Duration cpu_time = least_time + absl::Nanoseconds(100 * file_size);
  return {.memory = static_cast<int64_t>((512 << 20) + 2 * file_size),
          .cpu_time = cpu_time,
          // The disk may be slow, and the machine busy.
          .wall_time = absl::Minutes(5) + 10 * cpu_time};
}

absl::Status ErrorOfScript(const absl::Status& status) {
  // A message of LibTorch quotes the file, so it may be as long as the file.
  constexpr size_t kMaxMessage = 4000;
  const std::string message = PrintableLines(status.message().substr(0, kMaxMessage));
  // For a module of Modelport's own these errors would be a bug. Here the file causes them.
  if (!absl::IsAborted(status) && !absl::IsInternal(status)) return absl::Status(status.code(), message);
  return absl::DataLossError(absl::StrCat("LibTorch cannot read it: ", message));
}

}  // namespace modelport
