#ifndef MODELPORT_CATALOG_TEMPLATES_H_
#define MODELPORT_CATALOG_TEMPLATES_H_

#include "absl/types/span.h"
#include "common/text/embedded_file.h"

namespace modelport {

// "catalog/model.html", the rows of one artifact, and "catalog/page.html", around all of them.
absl::Span<const EmbeddedFile> CatalogTemplates();

}  // namespace modelport

#endif  // MODELPORT_CATALOG_TEMPLATES_H_
