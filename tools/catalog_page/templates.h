#ifndef MODELPORT_TOOLS_CATALOG_PAGE_TEMPLATES_H_
#define MODELPORT_TOOLS_CATALOG_PAGE_TEMPLATES_H_

#include "absl/types/span.h"
#include "common/text/embedded_file.h"

namespace modelport {

// model.html, the rows of one artifact, and page.html, around all of them.
absl::Span<const EmbeddedFile> CatalogTemplates();

}  // namespace modelport

#endif  // MODELPORT_TOOLS_CATALOG_PAGE_TEMPLATES_H_
