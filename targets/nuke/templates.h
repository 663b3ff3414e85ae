#ifndef MODELPORT_TARGETS_NUKE_TEMPLATES_H_
#define MODELPORT_TARGETS_NUKE_TEMPLATES_H_

#include "absl/types/span.h"
#include "common/text/embedded_file.h"

namespace modelport {

// The files of the folder templates, from which packages are made. "model" at the beginning of a name stands for the
// name of the model.
absl::Span<const EmbeddedFile> NukeTemplates();

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_TEMPLATES_H_
