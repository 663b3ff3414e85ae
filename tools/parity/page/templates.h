#ifndef MODELPORT_TOOLS_PARITY_PAGE_TEMPLATES_H_
#define MODELPORT_TOOLS_PARITY_PAGE_TEMPLATES_H_

#include "absl/types/span.h"
#include "common/text/embedded_file.h"

namespace modelport {

// page.html, the whole page.
absl::Span<const EmbeddedFile> ParityTemplates();

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_PAGE_TEMPLATES_H_
