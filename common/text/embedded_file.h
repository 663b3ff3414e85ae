#ifndef MODELPORT_COMMON_TEXT_EMBEDDED_FILE_H_
#define MODELPORT_COMMON_TEXT_EMBEDDED_FILE_H_

#include "absl/strings/string_view.h"

namespace modelport {

// A file that embed_files() compiled into the binary.
struct EmbeddedFile {
  absl::string_view path;  // Such as "models/dinov2/plugin.yaml".
  absl::string_view text;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_EMBEDDED_FILE_H_
