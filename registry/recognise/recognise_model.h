#ifndef MODELPORT_REGISTRY_RECOGNISE_RECOGNISE_MODEL_H_
#define MODELPORT_REGISTRY_RECOGNISE_RECOGNISE_MODEL_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/source_choice.h"
#include "registry/recognise/assign_files.h"
#include "registry/registry.h"

namespace modelport {

// The variants whose parts the checkpoints `given`, two or more, fill, one each.
std::vector<CatalogEntry> FindVariantsOfFiles(const Registry& registry, const std::vector<GivenCheckpoint>& given);

// A model, and for people what told it: "the only model that fits".
struct RecognisedModel {
  CatalogEntry entry;
  std::string reason;
  // The arguments of its root that differ from the catalog's, as InferModels finds them.
  std::map<std::string, std::string> arguments = {};
  std::vector<std::string> asked = {};  // Those that the user has to give, as InferModels says.
};

// Finds the one variant that the checkpoints `given` fit, by their keys and shapes and by a config.json beside them. Of
// several it is the one whose published files they are, by ChooseByPublishedFiles. Where one file fits none, it is the
// one that it fits with other arguments, by InferModels.
//   FailedPrecondition  they fit none, only a part of one, or several; the message says which, and asks for --model
absl::StatusOr<RecognisedModel> RecogniseModel(const Registry& registry, const std::vector<GivenCheckpoint>& given);

// FailedPrecondition: `checkpoint` fits no variant in what `choice` admits; names the nearest.
absl::Status FitsNoModel(const Registry& registry, const Checkpoint& checkpoint, const SourceChoice& choice);

// InvalidArgument: the layout of `choice` is neither auto nor one of any family.
absl::Status CheckKnownLayout(const Registry& registry, const SourceChoice& choice);

// What a file that does not fit fits instead, for the errors of MapWeights.
class FittingHint {
 public:
  explicit FittingHint(const Registry& registry) : registry_(registry) {}

  // A line that begins with a newline and says which models, or which parts of models, `given` fits; "" if that is
  // nothing, or if the keys and shapes of `title`, which is `entry` or a part of it, fit in another way.
  std::string operator()(const CatalogEntry& entry, const std::string& title, const GivenCheckpoint& given) const;

 private:
  const Registry& registry_;
};

struct NearestVariant {
  std::string name;
  // "(layout original): 2 of 247 keys missing ...", of MakePlan's message, or "by shapes alone: ...".
  std::string differences;
};

// Finds the variant of the catalog to which a checkpoint comes nearest in what `choice` admits; of several that are
// equally near the first. It is found by names and shapes if at least a quarter of slots and keys agree (see Likeness),
// or else, if it admits any layout, by shapes alone if half of them do. nullopt if no variant is as near.
absl::optional<NearestVariant> FindNearestVariant(const Registry& registry, const Checkpoint& checkpoint,
                                                  const SourceChoice& choice);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_RECOGNISE_MODEL_H_
