#ifndef MODELPORT_COMMON_TEXT_EMBEDDED_FILE_H_
#define MODELPORT_COMMON_TEXT_EMBEDDED_FILE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace modelport {

// A file that embed_files() compiled into the binary.
struct EmbeddedFile {
  absl::string_view path;  // Such as "models/family/plugin.yaml".
  absl::string_view text;
};

// The text of the file in `files` that is called `name`, in whatever folder. Internal: there is none.
absl::StatusOr<absl::string_view> FindEmbedded(absl::Span<const EmbeddedFile> files, absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_EMBEDDED_FILE_H_
