#include "common/keymap/key_pattern.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/status/annotate.h"
#include "common/text/dotted_path.h"

namespace modelport {
namespace {

// Removes and returns the first or the last part of a key that has parts left; nullopt is left after the only part.
absl::string_view TakeFirst(absl::optional<absl::string_view>* key) {
  const absl::string_view text = **key;
  const size_t dot = text.find('.');
  *key = dot == text.npos ? absl::nullopt : absl::make_optional(text.substr(dot + 1));
  return text.substr(0, dot);
}

absl::string_view TakeLast(absl::optional<absl::string_view>* key) {
  const absl::string_view text = **key;
  const size_t dot = text.rfind('.');
  *key = dot == text.npos ? absl::nullopt : absl::make_optional(text.substr(0, dot));
  return dot == text.npos ? text : text.substr(dot + 1);
}

}  // namespace

absl::StatusOr<KeyPattern::Part> KeyPattern::ParsePart(absl::string_view text) {
  if (text.empty()) return absl::InvalidArgumentError("has an empty part between dots");
  if (text.find_first_of("{}") == absl::string_view::npos) return Part{std::string(text)};
  Part part{.text = {}, .is_placeholder = true};
  absl::string_view name = text;
  const bool is_braced = absl::ConsumePrefix(&name, "{") && absl::ConsumeSuffix(&name, "}");
  part.takes_rest = absl::ConsumeSuffix(&name, "*");
  const bool is_name =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
  if (!is_braced || !is_name) {
    return absl::InvalidArgumentError(absl::StrCat("part \"", text, "\" is neither plain nor {name} nor {name*}"));
  }
  part.text = std::string(name);
  return part;
}

absl::StatusOr<KeyPattern> KeyPattern::Parse(absl::string_view text) {
  const std::string context = absl::StrCat("pattern \"", text, "\"");
  KeyPattern pattern;
  pattern.text_ = std::string(text);
  for (absl::string_view piece : absl::StrSplit(text, '.')) {
    absl::StatusOr<Part> part = ParsePart(piece);
    if (!part.ok()) return Annotate(part.status(), context);
    const std::vector<std::string> names = pattern.names();
    const bool has_rest = std::any_of(pattern.parts_.begin(), pattern.parts_.end(), std::mem_fn(&Part::takes_rest));
    if (part->takes_rest && has_rest) {
      return absl::InvalidArgumentError(
          absl::StrCat(context, ": a second {name*}; with two, a key could match in several ways"));
    }
    if (part->is_placeholder && std::find(names.begin(), names.end(), part->text) != names.end()) {
      return absl::InvalidArgumentError(absl::StrCat(context, ": {", part->text, "} occurs twice"));
    }
    pattern.parts_.push_back(*std::move(part));
  }
  return pattern;
}

bool KeyPattern::MatchParts(absl::string_view key,
                            absl::FunctionRef<void(const std::string&, absl::string_view)> bind) const {
  const auto matches = [&](const Part& part, absl::string_view piece) {
    if (part.is_placeholder) bind(part.text, piece);
    return part.is_placeholder ? !piece.empty() : piece == part.text;
  };
  absl::optional<absl::string_view> rest = key;
  auto first = parts_.begin(), last = parts_.end();
  for (; first != last && !first->takes_rest; ++first) {
    if (!rest || !matches(*first, TakeFirst(&rest))) return false;
  }
  if (first == last) return !rest;
  while (--last != first) {
    if (!rest || !matches(*last, TakeLast(&rest))) return false;
  }
  return rest && matches(*first, *rest);
}

bool KeyPattern::Matches(absl::string_view key) const {
  return MatchParts(key, [](const std::string&, absl::string_view) {});
}

absl::optional<KeyBindings> KeyPattern::Match(absl::string_view key) const {
  KeyBindings bindings;
  const bool matches =
      MatchParts(key, [&](const std::string& name, absl::string_view piece) { bindings.emplace(name, piece); });
  return matches ? absl::make_optional(std::move(bindings)) : absl::nullopt;
}

std::string KeyPattern::Substitute(const KeyBindings& bindings) const {
  return absl::StrJoin(parts_, ".", [&](std::string* out, const Part& part) {
    absl::StrAppend(out, part.is_placeholder ? bindings.find(part.text)->second : part.text);
  });
}

std::vector<std::string> KeyPattern::names() const {
  std::vector<std::string> names;
  for (const Part& part : parts_) {
    if (part.is_placeholder) names.push_back(part.text);
  }
  return names;
}

KeyPattern KeyPattern::Below(absl::string_view path) const {
  if (path.empty()) return *this;
  KeyPattern below;
  below.text_ = JoinPath(path, text_);
  for (absl::string_view piece : absl::StrSplit(path, '.')) below.parts_.push_back({std::string(piece)});
  below.parts_.insert(below.parts_.end(), parts_.begin(), parts_.end());
  return below;
}

bool KeyPattern::MayOverlap(const KeyPattern& other) const {
  const auto differ = [](const Part& a, const Part& b) {
    return !a.is_placeholder && !b.is_placeholder && a.text != b.text;
  };
  // The parts on either side of {name*} have fixed places; what it stands for is not compared.
  const auto side_differs = [&](auto a, auto a_end, auto b, auto b_end) {
    for (; a != a_end && b != b_end && !a->takes_rest && !b->takes_rest; ++a, ++b) {
      if (differ(*a, *b)) return true;
    }
    return false;
  };
  const auto takes_rest = [](const KeyPattern& pattern) {
    return std::any_of(pattern.parts_.begin(), pattern.parts_.end(), std::mem_fn(&Part::takes_rest));
  };
  const std::vector<Part>&a = parts_, &b = other.parts_;
  if (!takes_rest(*this) && !takes_rest(other) && a.size() != b.size()) return false;
  return !side_differs(a.begin(), a.end(), b.begin(), b.end()) &&
         !side_differs(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

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
