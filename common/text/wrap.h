#ifndef MODELPORT_COMMON_TEXT_WRAP_H_
#define MODELPORT_COMMON_TEXT_WRAP_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

// `text` as lines of at most `columns` characters, broken at spaces; a longer word is a line of its own. A call such as
// `bazel run //tools:list -- --x` is one word, so that it can be copied. At least one line.
std::vector<std::string> Wrap(absl::string_view text, size_t columns);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_WRAP_H_
