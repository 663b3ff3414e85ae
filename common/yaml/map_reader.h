#ifndef MODELPORT_COMMON_YAML_MAP_READER_H_
#define MODELPORT_COMMON_YAML_MAP_READER_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// Takes the fields of a YAML map by name. It reports three kinds of problem: a field of the wrong kind, a required
// field that is absent, and a field that was not taken. After a problem it returns an empty value or the fallback, so
// that reading can continue.
//
//   YamlMapReader reader(value, "variant model_small", &problems);
//   variant.summary = reader.RequireText("summary");
//   variant.published = reader.TakeBool("published", true);
//   reader.Finish();
class YamlMapReader {
 public:
  // `subject` names the map in messages. `value` and `problems` must outlive the reader.
  YamlMapReader(const YamlValue& value, std::string subject, YamlProblems* problems);

  // The value of a field, or null if it is absent.
  const YamlValue* Take(absl::string_view name);
  // The same for a required field.
  const YamlValue* Require(absl::string_view name);

  std::string TakeText(absl::string_view name);
  std::string RequireText(absl::string_view name);
  std::vector<std::string> TakeTexts(absl::string_view name);
  std::vector<double> TakeNumbers(absl::string_view name);
  // "true" or "false", nothing else.
  bool TakeBool(absl::string_view name, bool fallback);
  // A decimal integer without leading zeros.
  int64_t TakeInt(absl::string_view name, int64_t fallback);
  // An integer or a decimal number, where true is 1 and false 0, or those of a list; 0 if the field is absent.
  std::vector<std::variant<int64_t, double>> TakeNumberOrNumbers(absl::string_view name);
  // The fields of a map, or the items of a list; empty if the field `name` is absent.
  const std::vector<YamlValue::Field>& TakeFields(absl::string_view name);
  const std::vector<YamlValue>& TakeItems(absl::string_view name);

  // Reports every field that was not taken.
  void Finish();

 private:
  const YamlValue& value_;
  std::string subject_;
  YamlProblems* problems_;
  std::vector<std::string> taken_;  // Every name that was asked for, present or not.
};

// Read a value that is not a field of a known name. Messages begin with `subject`, such as: field "mean".
std::string ReadText(const YamlValue& value, absl::string_view subject, YamlProblems* problems);
const std::vector<YamlValue::Field>& ReadFields(const YamlValue& value, absl::string_view subject,
                                                YamlProblems* problems);
const std::vector<YamlValue>& ReadItems(const YamlValue& value, absl::string_view subject, YamlProblems* problems);

std::vector<std::string> ReadTexts(const YamlValue& value, absl::string_view subject, YamlProblems* problems);
// Decimal integers, as TakeInt reads one. One that is not is reported and is 0 in the result.
std::vector<int64_t> ReadIntegers(const YamlValue& value, absl::string_view subject, YamlProblems* problems);

// "nothing", "a list", "a map", "a block of text", or the text in quotes.
std::string DescribeYaml(const YamlValue& value);

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_MAP_READER_H_
