// Pairs the names of a reference with those of a model that calls its modules and settings otherwise.
#ifndef MODELPORT_TOOLS_PARITY_CHECK_REFERENCE_NAMES_H_
#define MODELPORT_TOOLS_PARITY_CHECK_REFERENCE_NAMES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/torchscript/parity/reference.h"

namespace modelport {

// What the model calls a module or a setting of the reference.
struct PairedName {
  std::string theirs;                                // "encoder.layer", "num_heads"
  absl::optional<std::string> ours = absl::nullopt;  // nullopt: it is left out.
};

struct ReferenceNames {
  std::string path = "";                  // Of the file, for messages.
  std::vector<PairedName> modules = {};   // Paths; a path stands for all below it, the longest one that fits is taken.
  std::vector<PairedName> settings = {};  // Names, in all modules.
};

// Parses the YAML text of the file `path`. Both maps are optional, null leaves a module or a setting out:
//   modules: {encoder.layer: blocks, pooler: null}
//   settings: {num_attention_heads: heads}
// InvalidArgument names each line that is wrong.
absl::StatusOr<ReferenceNames> ParseReferenceNames(const std::string& path, absl::string_view text);

// Gives the stages and settings of `reference` the model's names.
//   InvalidArgument  a name that the reference does not have, or two that become one; nothing has changed then
absl::Status RenameReference(const ReferenceNames& names, Reference& reference);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_CHECK_REFERENCE_NAMES_H_
