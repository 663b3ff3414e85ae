#ifndef MODELPORT_TOOLS_NEW_PLUGIN_TEMPLATES_H_
#define MODELPORT_TOOLS_NEW_PLUGIN_TEMPLATES_H_

#include "absl/types/span.h"
#include "common/text/embedded_file.h"

namespace modelport {

// The files of the folder templates, from which the files of new plugins are made.
absl::Span<const EmbeddedFile> DraftTemplates();

}  // namespace modelport

#endif  // MODELPORT_TOOLS_NEW_PLUGIN_TEMPLATES_H_
