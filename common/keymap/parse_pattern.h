// What the parsers of a key map's rules share.
#ifndef MODELPORT_COMMON_KEYMAP_PARSE_PATTERN_H_
#define MODELPORT_COMMON_KEYMAP_PARSE_PATTERN_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/keymap/key_pattern.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// The pattern `text`, which is at `mark`; nullopt after a problem. Empty text is one that was reported before.
absl::optional<KeyPattern> ParsePattern(absl::string_view text, const YamlMark& mark, YamlProblems* problems);

// The problem that `to` has a placeholder which `from` lacks, or "".
std::string UnboundPlaceholder(const KeyPattern& from, const KeyPattern& to);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_PARSE_PATTERN_H_
