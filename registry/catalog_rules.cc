#include "registry/catalog_rules.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

constexpr int64_t kLargeBytes = 500'000'000;

constexpr size_t kMaxSize = 64;

bool IsAlphanumeric(char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c); }

bool IsPlain(char c) { return IsAlphanumeric(c) || c == '_' || c == '.' || c == '-'; }

}  // namespace

bool IsLarge(const ModuleTree& tree) {
  int64_t bytes = 0;
  for (const Slot& slot : tree.slots) {
    bytes += *ElementCount(slot.shape) * ByteSize(slot.dtype.value_or(DType::kFloat32));
  }
  return bytes > kLargeBytes;
}

absl::Status CheckCatalogName(absl::string_view subject, absl::string_view name) {
  const bool is_plain = !name.empty() && IsAlphanumeric(name[0]) && std::all_of(name.begin(), name.end(), IsPlain);
  if (is_plain && name.size() <= kMaxSize) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(subject, " \"", name.substr(0, kMaxSize),
                                                 "\" is not a valid name: it wants a-z, 0-9, _, . and -, at most ",
                                                 kMaxSize, " of them, a letter or digit first"));
}

absl::Status CheckFileBelow(absl::string_view path) {
  for (absl::string_view part : absl::StrSplit(path, '/')) {
    if (!part.empty() && part != "." && part != "..") continue;
    return absl::InvalidArgumentError(absl::StrCat("\"", path, "\" is not a path below a folder, without . and .."));
  }
  return absl::OkStatus();
}

}  // namespace modelport
