#include "common/manifest/entry_point_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace modelport {
namespace {

template <typename Message>
std::string Shape(const Message& message) {
  return absl::StrCat("[", absl::StrJoin(message.shape(), ", "), "]");
}

template <typename Message>
std::string Range(const Message& message) {
  if (message.has_min() && message.has_max()) return absl::StrCat(message.min(), " to ", message.max());
  if (message.has_min()) return absl::StrCat("at least ", message.min());
  return message.has_max() ? absl::StrCat("at most ", message.max()) : "";
}

// The texts that are not empty, with commas between, and `help` after them.
std::string Joined(const std::vector<std::string>& texts, const std::string& help) {
  std::string joined;
  for (const std::string& text : texts) {
    if (!text.empty()) absl::StrAppend(&joined, joined.empty() ? "" : ", ", text);
  }
  return help.empty() ? joined : absl::StrCat(joined, joined.empty() ? "" : ": ", help);
}

// Whether the input is an image of one size: its last two sides are numbers.
bool HasOneSize(const Manifest::Input& input) {
  const auto is_number = [](const std::string& side) {
    return std::all_of(side.begin(), side.end(), absl::ascii_isdigit);
  };
  const int sides = input.shape_size();
  return sides >= 2 && is_number(input.shape(sides - 1)) && is_number(input.shape(sides - 2));
}

std::string Sides(const Manifest::Input& input) {
  if (input.multiple_of() == 0 || HasOneSize(input)) return "";
  return input.multiple_of() == 1 ? "any size" : absl::StrCat("sides multiples of ", input.multiple_of());
}

std::string Recommended(const Manifest::Input& input) {
  if (input.recommended_size() == 0) return "";
  return absl::StrCat("best with a ", absl::StrReplaceAll(input.resize(), {{"_", " "}}), " of ",
                      input.recommended_size());
}

}  // namespace

std::string EntryPointSignature(const Manifest::EntryPoint& entry_point) {
  const auto format = [](std::string* out, const Manifest::Input& input) {
    absl::StrAppend(out, input.name(), input.default_value().empty() ? "" : "=", input.default_value());
  };
  return absl::StrCat(entry_point.method(), "(", absl::StrJoin(entry_point.inputs(), ", ", format), ") -> ",
                      entry_point.returns());
}

std::string InputText(const Manifest::Input& input) {
  const bool is_tensor = !input.dtype().empty();
  return Joined({is_tensor ? absl::StrCat(input.type(), " ", Shape(input)) : input.type(), input.dtype(),
                 input.normalised() ? "normalised" : "", Range(input), Sides(input), Recommended(input)},
                input.help());
}

std::string OutputText(const Manifest::Result& output) {
  return Joined({output.dtype().empty() ? "" : Shape(output), output.dtype(), output.unit(),
                 output.larger_is().empty() ? "" : absl::StrCat("larger is ", output.larger_is()), Range(output),
                 output.only_with().empty() ? "" : absl::StrCat("only with ", output.only_with()),
                 output.only_without().empty() ? "" : absl::StrCat("only without ", output.only_without())},
                output.help());
}

int InternalMethods(const Manifest& manifest) {
  return manifest.entry_points().empty() ? 0 : manifest.methods_size() - manifest.entry_points_size();
}

}  // namespace modelport
