#ifndef MODELPORT_COMMON_TEXT_UTF8_H_
#define MODELPORT_COMMON_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {

// A character in UTF-8.
struct Utf8Character {
  uint32_t code_point;
  size_t size;  // The length of its encoding in bytes.
};

// The character that `text` begins with; nullopt if `text` is empty or does not begin with well-formed UTF-8: no
// overlong forms, no surrogates, nothing above U+10FFFF.
absl::optional<Utf8Character> FirstUtf8Character(absl::string_view text);

// Whether `text` is a sequence of such characters.
bool IsUtf8(absl::string_view text);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_UTF8_H_
