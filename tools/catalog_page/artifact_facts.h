#ifndef MODELPORT_TOOLS_CATALOG_PAGE_ARTIFACT_FACTS_H_
#define MODELPORT_TOOLS_CATALOG_PAGE_ARTIFACT_FACTS_H_

#include "common/manifest/manifest.pb.h"
#include "common/text/template.h"

namespace modelport {

// What model.html says of an artifact, as plain text. Names that end in `_href` are addresses to link to: those of a
// scheme other than http and https, such as javascript:, are empty.
TemplateData ArtifactFacts(const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_CATALOG_PAGE_ARTIFACT_FACTS_H_
