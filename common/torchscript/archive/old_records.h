// Archives for LibTorch 1.6, which reads fewer kinds of records and less syntax.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_OLD_RECORDS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_OLD_RECORDS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// Whether an old archive has the record at `path` as a new one has it. Old readers do not know debug records, and keep
// the archive's version elsewhere.
bool IsOldRecord(absl::string_view path);

// `code`, which is TorchScript, in the syntax of LibTorch 1.6: it calls the type of None "None" instead of "NoneType".
// Throws the exceptions of LibTorch.
std::string OldSyntax(const std::string& code);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_OLD_RECORDS_H_
