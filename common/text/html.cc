#include "common/text/html.h"

#include "absl/strings/str_replace.h"
#include "common/text/printable.h"

namespace modelport {

std::string EscapeHtml(absl::string_view text) {
  return absl::StrReplaceAll(Printable(text), {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

}  // namespace modelport
