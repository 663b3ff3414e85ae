#include "release/command_names.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace modelport {

std::string WithCommandNames(absl::string_view text) {
  constexpr absl::string_view kTools = "//tools:";
  std::string result;
  for (size_t found; (found = text.find(kTools)) != text.npos;) {
    absl::string_view before = text.substr(0, found);
    // ./bazelw run, bazelw run, bazel run
    if (absl::ConsumeSuffix(&before, "bazel run ") || absl::ConsumeSuffix(&before, "bazelw run ")) {
      absl::ConsumeSuffix(&before, "./");
    }
    text.remove_prefix(found + kTools.size());
    size_t end = 0;
    while (end < text.size() && (absl::ascii_isalnum(text[end]) || text[end] == '_')) ++end;
    absl::StrAppend(&result, before, "modelport ", text.substr(0, end));
    text.remove_prefix(end);
    if (text == " --" || absl::StartsWith(text, " -- ")) text.remove_prefix(3);
  }
  return absl::StrCat(result, text);
}

CommandNames::int_type CommandNames::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  return target_->sputc(traits_type::to_char_type(c));
}

std::streamsize CommandNames::xsputn(const char* text, std::streamsize size) {
  const std::string named = WithCommandNames(absl::string_view(text, size));
  const std::streamsize written = target_->sputn(named.data(), named.size());
  return written == static_cast<std::streamsize>(named.size()) ? size : 0;
}

}  // namespace modelport
