#include "common/expression/identifier.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

constexpr size_t kMaxSize = 64;

// Python's keywords, sorted. A class with a member of such a name can be saved but not loaded.
constexpr absl::string_view kKeywords[] = {"False",  "None",   "True",    "and",      "as",       "assert", "async",
                                           "await",  "break",  "class",   "continue", "def",      "del",    "elif",
                                           "else",   "except", "finally", "for",      "from",     "global", "if",
                                           "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
                                           "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};

bool IsPlain(char c) { return absl::ascii_isalnum(c) || c == '_'; }

absl::Status NoName(absl::string_view name, absl::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat("\"", name.substr(0, kMaxSize), "\" is not a valid name: it ", reason));
}

}  // namespace

absl::Status CheckIdentifier(absl::string_view name) {
  if (name.empty() || absl::ascii_isdigit(name[0]) || !std::all_of(name.begin(), name.end(), IsPlain)) {
    return NoName(name, "wants letters, digits and _, no digit first");
  }
  if (name.size() > kMaxSize) {
    return NoName(name, absl::StrCat("has ", name.size(), " characters, wants at most ", kMaxSize));
  }
  if (absl::StartsWith(name, "__")) return NoName(name, "begins with two _, which TorchScript reserves");
  if (std::binary_search(std::begin(kKeywords), std::end(kKeywords), name)) return NoName(name, "is a Python keyword");
  return absl::OkStatus();
}

}  // namespace modelport
