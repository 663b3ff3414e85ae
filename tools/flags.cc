#include "tools/flags.h"

#include <map>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/text/nearest.h"
#include "common/text/table.h"

namespace modelport {
namespace {

// An argument taken apart; --noverify is the flag verify with the value false.
struct Argument {
  absl::CommandLineFlag* flag;        // Null if there is no such flag.
  absl::optional<std::string> value;  // None if the next argument may be it.
};

Argument TakeApart(absl::string_view text) {
  const size_t equals = text.find('=');
  const absl::string_view name = text.substr(0, equals);
  absl::CommandLineFlag* flag = absl::FindCommandLineFlag(name);
  if (equals != text.npos) return {flag, std::string(text.substr(equals + 1))};
  if (flag != nullptr) return {flag, flag->IsOfType<bool>() ? absl::make_optional<std::string>("true") : absl::nullopt};
  absl::string_view positive = name;
  if (absl::ConsumePrefix(&positive, "no")) flag = absl::FindCommandLineFlag(positive);
  return {flag != nullptr && flag->IsOfType<bool>() ? flag : nullptr, "false"};
}

absl::Status UnknownFlag(absl::string_view argument) {
  std::vector<std::string> known;
  for (const auto& [name, flag] : absl::GetAllFlags()) known.push_back(absl::StrCat("--", name));
  const absl::string_view name = argument.substr(0, argument.find('='));
  return absl::InvalidArgumentError(absl::StrCat(name, ": no such flag", NearestHint(name, known)));
}

absl::Status SetFlag(absl::CommandLineFlag& flag, const std::string& value) {
  std::string error;
  if (flag.ParseFrom(value, &error)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag.Name(), "=", value, ": ", flag.IsOfType<bool>() ? "wants true or false" : error));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseFlags(absl::Span<const char* const> arguments) {
  std::vector<std::string> others;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const absl::string_view argument = arguments[i];
    if (argument == "--") continue;
    absl::string_view text = argument;
    if (!absl::ConsumePrefix(&text, "-")) {
      others.emplace_back(argument);
      continue;
    }
    absl::ConsumePrefix(&text, "-");
    Argument taken = TakeApart(text);
    if (taken.flag == nullptr) return UnknownFlag(argument);
    if (!taken.value && ++i == arguments.size()) {
      return absl::InvalidArgumentError(absl::StrCat(argument, ": wants a value, as in ", argument, "=VALUE"));
    }
    const absl::Status status = SetFlag(*taken.flag, taken.value ? *taken.value : arguments[i]);
    if (!status.ok()) return status;
  }
  return others;
}

std::string FlagsHelp(absl::string_view usage) {
  std::map<std::string, const absl::CommandLineFlag*> flags;
  for (const auto& [name, flag] : absl::GetAllFlags()) flags.emplace(name, flag);
  Table table;
  for (const auto& [name, flag] : flags) {
    const std::string value = flag->DefaultValue();
    table.AddRow({flag->IsOfType<bool>() ? absl::StrCat("  --[no]", name) : absl::StrCat("  --", name, "=..."),
                  absl::StrCat(flag->Help(), value.empty() ? "" : absl::StrCat(" (default: ", value, ")"))});
  }
  return absl::StrCat(usage, "\n\n", table.ToString());
}

}  // namespace modelport
