#ifndef MODELPORT_COMMON_KEYMAP_KEY_PATTERN_H_
#define MODELPORT_COMMON_KEYMAP_KEY_PATTERN_H_

#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// The parts of a key that match a pattern's placeholders, by the placeholders' names.
using KeyBindings = std::map<std::string, std::string, std::less<>>;

// A dotted key with placeholders: {name} matches one part between dots, {name*} one or more parts. There is at most one
// {name*}, so that a key matches in at most one way, which is found in one pass.
// "{path*}.attn.qkv.{leaf}" matches "blocks.3.attn.qkv.weight".
class KeyPattern {
 public:
  // InvalidArgument: an empty part, unbalanced braces, a placeholder that is not a whole part, a second {name*}, a
  // repeated name.
  static absl::StatusOr<KeyPattern> Parse(absl::string_view text);

  const std::string& text() const { return text_; }

  // True if `key` matches as a whole.
  bool Matches(absl::string_view key) const;

  // The bindings if it does.
  absl::optional<KeyBindings> Match(absl::string_view key) const;

  // The key with every placeholder replaced; all names must be bound.
  std::string Substitute(const KeyBindings& bindings) const;

  // Names of the placeholders.
  std::vector<std::string> names() const;

  // The pattern of the keys that this one matches, below `path`, a dotted path without placeholders: "net.{i}.weight"
  // for "{i}.weight" below "net". The pattern itself if `path` is empty.
  KeyPattern Below(absl::string_view path) const;

  // False if no key can match both patterns.
  bool MayOverlap(const KeyPattern& other) const;

 private:
  struct Part {
    std::string text;  // As in the key, or the placeholder's name.
    bool is_placeholder = false;
    bool takes_rest = false;
  };

  static absl::StatusOr<Part> ParsePart(absl::string_view text);

  // Calls `bind` with each placeholder's name and the parts that it matches. Some calls may come before `key` turns out
  // not to match.
  bool MatchParts(absl::string_view key,
                  absl::FunctionRef<void(const std::string& name, absl::string_view piece)> bind) const;

  std::string text_;
  std::vector<Part> parts_;
};

// The pattern `text`, which is at `mark`; nullopt after a problem. Empty text is one that was reported before.
absl::optional<KeyPattern> ParsePattern(absl::string_view text, const YamlMark& mark, YamlProblems* problems);

// The problem that `to` has a placeholder which `from` lacks, or "".
std::string UnboundPlaceholder(const KeyPattern& from, const KeyPattern& to);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_KEY_PATTERN_H_
