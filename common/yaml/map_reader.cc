#include "common/yaml/map_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

using Kind = YamlValue::Kind;

std::string FieldSubject(absl::string_view name) { return absl::StrCat("field \"", name, "\""); }

void AddWrongKind(const YamlValue& value, absl::string_view subject, absl::string_view wanted, YamlProblems* problems) {
  if (value.kind == Kind::kInvalid) return;
  problems->Add(value.mark, absl::StrCat(subject, " wants ", wanted, ", has ", DescribeYaml(value)));
}

absl::optional<int64_t> ParseInteger(const YamlValue& value) {
  const absl::string_view digits = absl::StripPrefix(value.text, "-");
  const bool is_decimal =
      value.plain && !digits.empty() && std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit);
  const bool has_leading_zero = digits.size() > 1 && digits[0] == '0';
  int64_t result = 0;
  if (!is_decimal || has_leading_zero || !absl::SimpleAtoi(value.text, &result)) return absl::nullopt;
  return result;
}

absl::optional<double> ParseNumber(const YamlValue& value) {
  // SimpleAtod alone would accept "inf", "0x10" and spaces.
  const bool is_decimal = value.plain && value.text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  double result = 0;
  if (!is_decimal || !absl::SimpleAtod(value.text, &result) || !std::isfinite(result)) return absl::nullopt;
  return result;
}

// An integer or a decimal number; true is 1 and false 0. What is none of these is reported and 0.
std::variant<int64_t, double> ReadNumber(const YamlValue& value, absl::string_view subject, YamlProblems* problems) {
  if (value.plain && (value.text == "true" || value.text == "false")) return int64_t{value.text == "true"};
  if (const absl::optional<int64_t> integer = ParseInteger(value)) return *integer;
  if (const absl::optional<double> number = ParseNumber(value)) return *number;
  AddWrongKind(value, subject, "a number, true or false", problems);
  return int64_t{0};
}

}  // namespace

std::string DescribeYaml(const YamlValue& value) {
  switch (value.kind) {
    case Kind::kNothing:
      return "nothing";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kText:
    case Kind::kInvalid:
      break;
  }
  if (absl::StrContains(value.text, '\n')) return "a block of text";
  return absl::StrCat("\"", value.text, "\"");
}

std::string ReadText(const YamlValue& value, absl::string_view subject, YamlProblems* problems) {
  if (value.kind != Kind::kText || value.text.empty()) AddWrongKind(value, subject, "text", problems);
  return value.text;
}

const std::vector<YamlValue::Field>& ReadFields(const YamlValue& value, absl::string_view subject,
                                                YamlProblems* problems) {
  if (value.kind != Kind::kMap) AddWrongKind(value, subject, "a map", problems);
  return value.fields;
}

const std::vector<YamlValue>& ReadItems(const YamlValue& value, absl::string_view subject, YamlProblems* problems) {
  if (value.kind != Kind::kList) AddWrongKind(value, subject, "a list", problems);
  return value.items;
}

std::vector<std::string> ReadTexts(const YamlValue& value, absl::string_view subject, YamlProblems* problems) {
  std::vector<std::string> texts;
  for (const YamlValue& item : ReadItems(value, subject, problems)) {
    texts.push_back(ReadText(item, absl::StrCat("an item of ", subject), problems));
  }
  return texts;
}

std::vector<int64_t> ReadIntegers(const YamlValue& value, absl::string_view subject, YamlProblems* problems) {
  std::vector<int64_t> numbers;
  for (const YamlValue& item : ReadItems(value, subject, problems)) {
    const absl::optional<int64_t> number = ParseInteger(item);
    if (!number.has_value()) AddWrongKind(item, absl::StrCat("an item of ", subject), "a decimal integer", problems);
    numbers.push_back(number.value_or(0));
  }
  return numbers;
}

YamlMapReader::YamlMapReader(const YamlValue& value, std::string subject, YamlProblems* problems)
    : value_(value), subject_(std::move(subject)), problems_(problems) {
  ReadFields(value_, subject_, problems_);
}

const YamlValue* YamlMapReader::Take(absl::string_view name) {
  taken_.emplace_back(name);
  for (const YamlValue::Field& field : value_.fields) {
    if (field.name == name) return &field.value;
  }
  return nullptr;
}

const YamlValue* YamlMapReader::Require(absl::string_view name) {
  const YamlValue* value = Take(name);
  if (value == nullptr && value_.kind == Kind::kMap) {
    problems_->Add(value_.mark, absl::StrCat("missing field \"", name, "\" in ", subject_));
  }
  return value;
}

std::string YamlMapReader::TakeText(absl::string_view name) {
  const YamlValue* value = Take(name);
  return value == nullptr ? "" : ReadText(*value, FieldSubject(name), problems_);
}

std::string YamlMapReader::RequireText(absl::string_view name) {
  const YamlValue* value = Require(name);
  return value == nullptr ? "" : ReadText(*value, FieldSubject(name), problems_);
}

std::vector<std::string> YamlMapReader::TakeTexts(absl::string_view name) {
  const YamlValue* list = Take(name);
  return list == nullptr ? std::vector<std::string>() : ReadTexts(*list, FieldSubject(name), problems_);
}

std::vector<double> YamlMapReader::TakeNumbers(absl::string_view name) {
  const YamlValue* list = Take(name);
  if (list == nullptr) return {};
  std::vector<double> numbers;
  for (const YamlValue& item : ReadItems(*list, FieldSubject(name), problems_)) {
    const absl::optional<double> number = ParseNumber(item);
    if (!number.has_value()) AddWrongKind(item, absl::StrCat("an item of ", FieldSubject(name)), "a number", problems_);
    numbers.push_back(number.value_or(0));
  }
  return numbers;
}

bool YamlMapReader::TakeBool(absl::string_view name, bool fallback) {
  const YamlValue* value = Take(name);
  if (value == nullptr) return fallback;
  if (value->plain && value->text == "true") return true;
  if (value->plain && value->text == "false") return false;
  AddWrongKind(*value, FieldSubject(name), "true or false", problems_);
  return fallback;
}

int64_t YamlMapReader::TakeInt(absl::string_view name, int64_t fallback) {
  const YamlValue* value = Take(name);
  if (value == nullptr) return fallback;
  const absl::optional<int64_t> number = ParseInteger(*value);
  if (!number.has_value()) AddWrongKind(*value, FieldSubject(name), "a decimal integer", problems_);
  return number.value_or(fallback);
}

std::vector<std::variant<int64_t, double>> YamlMapReader::TakeNumberOrNumbers(absl::string_view name) {
  const YamlValue* value = Take(name);
  if (value == nullptr) return {int64_t{0}};
  if (value->kind != Kind::kList) return {ReadNumber(*value, FieldSubject(name), problems_)};
  if (value->items.empty()) AddWrongKind(*value, FieldSubject(name), "a number, true or false, or numbers", problems_);
  std::vector<std::variant<int64_t, double>> numbers;
  for (const YamlValue& item : value->items) {
    numbers.push_back(ReadNumber(item, absl::StrCat("an item of ", FieldSubject(name)), problems_));
  }
  return numbers;
}

const std::vector<YamlValue::Field>& YamlMapReader::TakeFields(absl::string_view name) {
  static const auto* const kNone = new std::vector<YamlValue::Field>();
  const YamlValue* value = Take(name);
  return value == nullptr ? *kNone : ReadFields(*value, FieldSubject(name), problems_);
}

const std::vector<YamlValue>& YamlMapReader::TakeItems(absl::string_view name) {
  static const auto* const kNone = new std::vector<YamlValue>();
  const YamlValue* list = Take(name);
  return list == nullptr ? *kNone : ReadItems(*list, FieldSubject(name), problems_);
}

void YamlMapReader::Finish() {
  for (const YamlValue::Field& field : value_.fields) {
    if (std::find(taken_.begin(), taken_.end(), field.name) != taken_.end()) continue;
    problems_->Add(field.mark,
                   absl::StrCat("unknown field \"", field.name, "\" in ", subject_, NearestHint(field.name, taken_)));
  }
}

}  // namespace modelport
