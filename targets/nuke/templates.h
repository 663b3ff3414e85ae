#ifndef MODELPORT_TARGETS_NUKE_TEMPLATES_H_
#define MODELPORT_TARGETS_NUKE_TEMPLATES_H_

#include "absl/types/span.h"
#include "common/text/embedded_file.h"

namespace modelport {

// The files of the folder templates, from which packages are made. "model" at the beginning of a name stands for the
// name of the model. "icon_KIND.png", and "icon_KIND_seeded.png" for seeded weights, are the icons of packages whose
// output is of that kind, with "@2x" before the ending at twice the size.
absl::Span<const EmbeddedFile> NukeTemplates();

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_TEMPLATES_H_
