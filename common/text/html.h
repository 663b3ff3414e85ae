#ifndef MODELPORT_COMMON_TEXT_HTML_H_
#define MODELPORT_COMMON_TEXT_HTML_H_

#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// `text`, made Printable, as HTML that shows it as it is, also in an attribute in double quotes.
std::string EscapeHtml(absl::string_view text);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_HTML_H_
