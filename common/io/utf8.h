#ifndef MODELPORT_COMMON_IO_UTF8_H_
#define MODELPORT_COMMON_IO_UTF8_H_

#include "absl/strings/string_view.h"

namespace modelport {

// True if `text` is well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(absl::string_view text);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_UTF8_H_
