#ifndef MODELPORT_COMMON_YAML_MAP_READER_H_
#define MODELPORT_COMMON_YAML_MAP_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// A reader that takes the fields of a YAML map by name. A field of the wrong kind, a required one that is absent and
// one that nobody takes are problems; the value returned then is empty, and reading goes on.
//
//   YamlMapReader reader(value, "variant dinov2_vits14", &problems);
//   variant.summary = reader.RequireText("summary");
//   variant.published = reader.TakeBool("published", true);
//   reader.Finish();
class YamlMapReader {
 public:
  // `subject` names the map in messages. `value` and `problems` must outlive the reader.
  YamlMapReader(const YamlValue& value, std::string subject, YamlProblems* problems);

  // The value of a field, or null if it is absent.
  const YamlValue* Take(absl::string_view name);
  // The same; absence is a problem.
  const YamlValue* Require(absl::string_view name);

  std::string TakeText(absl::string_view name);
  std::string RequireText(absl::string_view name);
  std::vector<std::string> TakeTexts(absl::string_view name);
  std::vector<std::string> RequireTexts(absl::string_view name);
  std::vector<double> RequireNumbers(absl::string_view name);
  // "true" or "false", nothing else.
  bool TakeBool(absl::string_view name, bool fallback);
  // A decimal integer without leading zeros.
  int64_t TakeInt(absl::string_view name, int64_t fallback);
  // The fields or items of a map or list; empty if it is absent.
  const std::vector<YamlValue::Field>& TakeFields(absl::string_view name);
  const std::vector<YamlValue>& TakeItems(absl::string_view name);

  // Reports every field that was not taken.
  void Finish();

 private:
  const YamlValue& value_;
  std::string subject_;
  YamlProblems* problems_;
  std::vector<std::string> taken_;  // Every name asked for, whether present or not.
};

// The same for values that are not fields of a known name; `subject` begins the message: "field "mean"".
std::string ReadText(const YamlValue& value, absl::string_view subject, YamlProblems* problems);
const std::vector<YamlValue::Field>& ReadFields(const YamlValue& value, absl::string_view subject,
                                                YamlProblems* problems);
const std::vector<YamlValue>& ReadItems(const YamlValue& value, absl::string_view subject, YamlProblems* problems);

std::vector<std::string> ReadTexts(const YamlValue& value, absl::string_view subject, YamlProblems* problems);

// "nothing", "a list", "a map", "a block of text", or the text in quotes.
std::string DescribeYaml(const YamlValue& value);

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_MAP_READER_H_
