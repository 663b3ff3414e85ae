#include "common/text/wrap.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace modelport {
namespace {

// The characters of `text` in UTF-8.
size_t Width(absl::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

// Whether a line may not end between two words that follow each other.
bool IsOneCall(absl::string_view before, absl::string_view after) {
  return absl::EndsWith(before, "bazel") || absl::EndsWith(before, "bazelw") || absl::StartsWith(after, "//tools:") ||
         before == "--" || after == "--";
}

}  // namespace

std::vector<std::string> Wrap(absl::string_view text, size_t columns) {
  std::vector<std::string> words;
  absl::string_view last;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (!words.empty() && IsOneCall(last, word)) {
      absl::StrAppend(&words.back(), " ", word);
    } else {
      words.emplace_back(word);
    }
    last = word;
  }
  std::vector<std::string> lines = {words.front()};
  for (size_t i = 1; i < words.size(); ++i) {
    if (Width(lines.back()) + 1 + Width(words[i]) <= columns) {
      absl::StrAppend(&lines.back(), " ", words[i]);
    } else {
      lines.push_back(words[i]);
    }
  }
  return lines;
}

}  // namespace modelport
