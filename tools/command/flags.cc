#include "tools/command/flags.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "common/text/table.h"

namespace modelport {
namespace {

// An argument taken apart; --noverify is the flag verify with the value false.
struct Argument {
  AnyFlag* flag;                      // Null if there is no such flag.
  absl::optional<std::string> value;  // None if the next argument may be it.
};

AnyFlag* FindFlag(const FlagGroup& flags, absl::string_view name) {
  const auto found =
      std::find_if(flags.begin(), flags.end(), [&](const AnyFlag* flag) { return flag->name() == name; });
  return found == flags.end() ? nullptr : *found;
}

Argument TakeApart(const FlagGroup& flags, absl::string_view text) {
  const size_t equals = text.find('=');
  const absl::string_view name = text.substr(0, equals);
  AnyFlag* flag = FindFlag(flags, name);
  if (equals != text.npos) return {flag, std::string(text.substr(equals + 1))};
  if (flag != nullptr) return {flag, flag->is_switch() ? absl::make_optional<std::string>("true") : absl::nullopt};
  absl::string_view positive = name;
  if (absl::ConsumePrefix(&positive, "no")) flag = FindFlag(flags, positive);
  return {flag != nullptr && flag->is_switch() ? flag : nullptr, "false"};
}

absl::Status UnknownFlag(const FlagGroup& flags, absl::string_view argument) {
  std::vector<std::string> known;
  for (const AnyFlag* const flag : flags) known.push_back(absl::StrCat("--", flag->name()));
  const absl::string_view name = argument.substr(0, argument.find('='));
  return absl::InvalidArgumentError(absl::StrCat(name, ": no such flag", NearestHint(name, known)));
}

absl::Status SetFlag(AnyFlag& flag, const std::string& value) {
  const absl::Status status = flag.Set(value);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat("--", flag.name(), "=", value, ": ", status.message()));
}

// Such as "--colours, --compare or --side_by_side".
std::string AnyOf(const FlagGroup& flags) {
  std::string text;
  for (size_t i = 0; i < flags.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : i + 1 == flags.size() ? " or " : ", ", "--", flags[i]->name());
  }
  return text;
}

}  // namespace

void AnyFlag::NotWith(const FlagGroup& others, const std::string& reason) {
  for (const AnyFlag* const other : others) opponents_.emplace_back(other, reason);
}

absl::Status AnyFlag::CheckPartners() const {
  const auto is_default = [](const AnyFlag* flag) { return flag->is_default(); };
  const bool has_partner = std::find_if_not(partners_.begin(), partners_.end(), is_default) != partners_.end();
  if (is_default(this) || partners_.empty() || has_partner) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--", name_, " changes nothing without ", AnyOf(partners_)));
}

absl::Status AnyFlag::CheckOpponents() const {
  for (const auto& [other, reason] : opponents_) {
    if (is_default() || other->is_default()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", name_, " and --", other->name(), " do not go together: ", reason));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ParseFlags(const FlagGroup& flags, absl::Span<const char* const> arguments) {
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
    Argument taken = TakeApart(flags, text);
    if (taken.flag == nullptr) return UnknownFlag(flags, argument);
    if (!taken.value && ++i == arguments.size()) {
      return absl::InvalidArgumentError(absl::StrCat(argument, ": wants a value, as in ", argument, "=VALUE"));
    }
    const absl::Status status = SetFlag(*taken.flag, taken.value ? *taken.value : arguments[i]);
    if (!status.ok()) return status;
  }
  for (const auto check : {&AnyFlag::CheckOpponents, &AnyFlag::CheckPartners}) {
    for (const AnyFlag* const flag : flags) {
      const absl::Status status = (flag->*check)();
      if (!status.ok()) return status;
    }
  }
  return others;
}

absl::StatusOr<std::vector<std::string>> NamesOf(const Flag<std::string>& flag) {
  const std::vector<std::string> names = absl::StrSplit(*flag, ',');
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const std::string given = absl::StrCat("--", flag.name(), "=", *flag);
  if (sorted.front().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(given, ": wants a name before and after each comma"));
  }
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return names;
  return absl::InvalidArgumentError(absl::StrCat(given, ": names ", *twice, " twice"));
}

void Remove(FlagGroup& group, const FlagGroup& flags) {
  const auto is_named = [&](AnyFlag* flag) { return std::count(flags.begin(), flags.end(), flag) > 0; };
  group.erase(std::remove_if(group.begin(), group.end(), is_named), group.end());
}

FlagGroup Sorted(FlagGroup flags) {
  std::sort(flags.begin(), flags.end(), [](const AnyFlag* a, const AnyFlag* b) { return a->name() < b->name(); });
  return flags;
}

std::string ShellFlag(absl::string_view name, absl::string_view text) {
  const std::string flag = absl::StrCat("--", name, "=", Printable(text));
  const auto is_plain = [](char c) { return absl::ascii_isalnum(c) || absl::StrContains("_-./=,:@%+", c); };
  if (std::all_of(flag.begin(), flag.end(), is_plain)) return flag;
  return absl::StrCat("'", absl::StrReplaceAll(flag, {{"'", "'\\''"}}), "'");
}

std::string FlagsAgain(const FlagGroup& flags) {
  std::string again;
  for (const AnyFlag* flag : flags) {
    if (!flag->is_default()) absl::StrAppend(&again, " ", ShellFlag(flag->name(), flag->text()));
  }
  return again;
}

std::string FlagsTable(const FlagGroup& flags, size_t columns) {
  Table table;
  for (const AnyFlag* const flag : Sorted(flags)) {
    const std::string& value = flag->default_text();
    table.AddRow(
        {flag->is_switch() ? absl::StrCat("  --[no]", flag->name()) : absl::StrCat("  --", flag->name(), "=..."),
         absl::StrCat(flag->help(), value.empty() ? "" : absl::StrCat(" (default: ", value, ")"))});
  }
  return table.ToString(columns);
}

}  // namespace modelport
