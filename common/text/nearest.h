#ifndef MODELPORT_COMMON_TEXT_NEAREST_H_
#define MODELPORT_COMMON_TEXT_NEAREST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

// Up to three of `candidates` that `name` may be a slip for, the likeliest first: few edits away, or containing it. The
// time is bounded: names of more than 128 bytes and candidates after the first 4096 are passed over.
std::vector<std::string> Nearest(absl::string_view name, const std::vector<std::string>& candidates);

// What to add to a message about an unknown `name`: "; nearest: dim", or "; known: a, b" if nothing is near, or "" if
// nothing is known.
std::string NearestHint(absl::string_view name, const std::vector<std::string>& candidates);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_NEAREST_H_
