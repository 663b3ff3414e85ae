// Text templates. `@name@` stands for a value. The lines between a line `@each name@` and a line `@end@` are repeated
// for each item of a list; a value of the item takes precedence over one of the template. Any other `@` is plain text.
#ifndef MODELPORT_COMMON_TEXT_TEMPLATE_H_
#define MODELPORT_COMMON_TEXT_TEMPLATE_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace modelport {

// Values by name.
using TemplateValues = std::map<std::string, std::string, std::less<>>;

struct TemplateData {
  TemplateValues values = {};
  TemplateValues verbatim = {};  // These are not escaped.
  std::map<std::string, std::vector<TemplateValues>, std::less<>> lists = {};
};

// A list that keeps the lines between `@each name@` and `@end@`, once, if `condition` holds.
std::vector<TemplateValues> KeepIf(bool condition);

// Fills in `text`. `escape` makes each value, except the verbatim ones, valid in the language of `text`.
//   Internal  a name that `data` lacks, or an `@each` without its `@end@`
absl::StatusOr<std::string> FillTemplate(absl::string_view text, const TemplateData& data,
                                         const std::function<std::string(absl::string_view)>& escape);

// `text`, made Printable, as HTML that shows it as it is, also in an attribute in double quotes.
std::string EscapeHtml(absl::string_view text);

// A file that embed_files() compiled into the binary.
struct EmbeddedFile {
  absl::string_view path;  // Such as "models/family/plugin.yaml".
  absl::string_view text;
};

// The text of the file in `files` that is called `name`, in whatever folder. Internal: there is none.
absl::StatusOr<absl::string_view> FindEmbedded(absl::Span<const EmbeddedFile> files, absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_TEMPLATE_H_
