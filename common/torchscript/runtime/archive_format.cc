#include "common/torchscript/runtime/archive_format.h"

namespace modelport {

ArchiveFormat FormatFor(const Runtime& runtime) {
  ArchiveFormat format;
  format.version = runtime.max_archive_version;
  format.new_records = !runtime.old_records;
  return format;
}

}  // namespace modelport
