#include "common/text/embedded_file.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace modelport {

absl::StatusOr<absl::string_view> FindEmbedded(absl::Span<const EmbeddedFile> files, absl::string_view name) {
  for (const EmbeddedFile& file : files) {
    if (file.path.substr(file.path.rfind('/') + 1) == name) return file.text;
  }
  return absl::InternalError(absl::StrCat("no embedded file ", name));
}

}  // namespace modelport
