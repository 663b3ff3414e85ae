#include "common/keymap/parse_pattern.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace modelport {

absl::optional<KeyPattern> ParsePattern(absl::string_view text, const YamlMark& mark, YamlProblems* problems) {
  if (text.empty()) return absl::nullopt;
  absl::StatusOr<KeyPattern> pattern = KeyPattern::Parse(text);
  if (pattern.ok()) return *std::move(pattern);
  problems->Add(mark, pattern.status().message());
  return absl::nullopt;
}

std::string UnboundPlaceholder(const KeyPattern& from, const KeyPattern& to) {
  const std::vector<std::string> bound = from.names();
  for (const std::string& name : to.names()) {
    if (std::find(bound.begin(), bound.end(), name) != bound.end()) continue;
    return absl::StrCat("{", name, "} of \"", to.text(), "\" is not in \"", from.text(), "\"");
  }
  return "";
}

}  // namespace modelport
