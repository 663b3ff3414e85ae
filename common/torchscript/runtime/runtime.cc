#include "common/torchscript/runtime/runtime.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

constexpr Runtime kRuntimes[] = {
    {.name = "1.6", .max_archive_version = 5, .old_records = true},
    {.name = "1.12", .max_archive_version = 10, .old_records = false},
    {.name = "2.1", .max_archive_version = 10, .old_records = false},
    {.name = "2.7", .max_archive_version = 10, .old_records = false},
    {.name = "2.13", .max_archive_version = 10, .old_records = false},
};

// Whether `name` is "1.12.1" for the release "1.12".
bool IsPatchOf(absl::string_view name, absl::string_view release) {
  if (!absl::ConsumePrefix(&name, release) || !absl::ConsumePrefix(&name, ".") || name.empty()) return false;
  return std::all_of(name.begin(), name.end(), absl::ascii_isdigit);
}

}  // namespace

absl::Span<const Runtime> Runtimes() { return kRuntimes; }

absl::StatusOr<const Runtime*> FindRuntime(absl::string_view name) {
  std::vector<std::string> names;
  for (const Runtime& runtime : kRuntimes) {
    if (runtime.name == name || IsPatchOf(name, runtime.name)) return &runtime;
    names.emplace_back(runtime.name);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown runtime \"", name, "\"", NearestHint(name, names)));
}

bool IsAtLeast(absl::string_view name, absl::string_view minimum) {
  bool reached = false;
  for (const Runtime& runtime : kRuntimes) {
    reached = reached || runtime.name == minimum;
    if (runtime.name == name) return reached;
  }
  return false;
}

ArchiveFormat FormatFor(const Runtime& runtime) {
  ArchiveFormat format;
  format.version = runtime.max_archive_version;
  format.new_records = !runtime.old_records;
  return format;
}

}  // namespace modelport
