// Text templates. `@name@` stands for a value, and the lines between a line `@each name@` and a line `@end@` for a
// list: they are repeated for each item, whose own values go first. An `@` that begins no such thing is itself.
#ifndef MODELPORT_COMMON_TEXT_TEMPLATE_H_
#define MODELPORT_COMMON_TEXT_TEMPLATE_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// By name.
using TemplateValues = std::map<std::string, std::string, std::less<>>;

struct TemplateData {
  TemplateValues values;
  TemplateValues verbatim;  // These are not escaped.
  std::map<std::string, std::vector<TemplateValues>, std::less<>> lists;
};

// Fills in `text`. Each value but the verbatim ones goes through `escape`, which knows how the filled text writes it.
//   Internal  a name that `data` lacks, an `@each` without its `@end@`
absl::StatusOr<std::string> FillTemplate(absl::string_view text, const TemplateData& data,
                                         const std::function<std::string(absl::string_view)>& escape);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_TEMPLATE_H_
