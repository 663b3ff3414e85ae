#ifndef MODELPORT_COMMON_TEXT_NEAREST_H_
#define MODELPORT_COMMON_TEXT_NEAREST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

// Up to three of `candidates` for which `name` may be a misspelling, the likeliest first: they are a few edits away, or
// contain `name`. To bound the time, names of more than 128 bytes and candidates after the first 4096 are skipped. The
// result is Printable.
std::vector<std::string> Nearest(absl::string_view name, const std::vector<std::string>& candidates);

// The end of a message about an unknown `name`: "; nearest: dim", or "; known: a, b" if no candidate is near, or "" if
// there are no candidates.
std::string NearestHint(absl::string_view name, const std::vector<std::string>& candidates);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_NEAREST_H_
