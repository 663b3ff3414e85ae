// Text that comes from outside (keys, class names, metadata, paths), made fit for a terminal and for a line of its own.
#ifndef MODELPORT_COMMON_TEXT_PRINTABLE_H_
#define MODELPORT_COMMON_TEXT_PRINTABLE_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// `text` as one line of visible characters in UTF-8. Line ends and tabs become \n, \r and \t; other control characters
// and bytes that are no UTF-8 become \x1b; characters that are invisible or change the direction of what follows become
// \u{202e}. Everything else, backslashes included, stays as it is, so the result of the result is itself.
std::string Printable(absl::string_view text);

// Printable(text), of which a text of more than `max_size` bytes shows only the beginning and its size:
// "blocks.0.attn... (1048576 bytes)".
std::string Brief(absl::string_view text, size_t max_size = 200);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_PRINTABLE_H_
