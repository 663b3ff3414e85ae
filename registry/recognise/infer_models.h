#ifndef MODELPORT_REGISTRY_RECOGNISE_INFER_MODELS_H_
#define MODELPORT_REGISTRY_RECOGNISE_INFER_MODELS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/expression/expression.h"
#include "common/keymap/source_choice.h"
#include "registry/recognise/checked_plan.h"
#include "registry/registry.h"

namespace modelport {

// A model that the catalog lacks: a variant with other arguments of its root, which the keys and shapes of a checkpoint
// tell, such as a fine-tune of other classes or a backbone trained at another size.
struct InferredModel {
  CatalogEntry entry;
  std::map<std::string, std::string> arguments;  // Those that differ, as plugin.yaml would write them: grid -> "16".
  Call module;                                   // The variant's root with these.
  Scope all;                                     // All arguments of that.
  std::map<std::string, std::string> assumed;    // The arguments that the file does not tell: heads -> "6".
  // Those that follow others by a rule, which has no value for them: a number of heads for a width that is no multiple
  // of theirs. They are the catalog's in `module`, which is then no model that anybody has.
  std::vector<std::string> asked;
  size_t others = 0;  // The keys of its dictionary beside those of the part that it is.
};

// The models that `checkpoint` is by the rules of the plugins' `arguments`, in a layout and a dictionary that `choice`
// admits: for each module type of a root, the variants of one file that differ in the fewest arguments. Of a model its
// backbone alone, which fits as well, is left out. Empty where a variant fits as it is, or as large a part of the file.
std::vector<InferredModel> InferModels(const Registry& registry, const Checkpoint& checkpoint,
                                       const SourceChoice& choice);

// What a checkpoint fits: variants as they are, or else models with other arguments.
struct Fits {
  std::vector<FittingVariant> variants;
  std::vector<InferredModel> inferred;
};

// FindFittingVariants or, if there are none, or none but the backbone of a larger model, InferModels. Of a file that is
// more like a variant that it does not fit than like that backbone, nothing: it is that variant with a key too many.
Fits FindFits(const Registry& registry, const Checkpoint& checkpoint, const SourceChoice& choice);

// What told the value of an argument: the keys and shapes of the file, the user, or neither, so that it is the
// catalog's, or follows other arguments by a rule of the plugin.
enum class ArgumentOrigin { kRead, kGiven, kAssumed };

// "read", "given" or "assumed".
absl::string_view OriginName(ArgumentOrigin origin);

// An argument of a root.
struct ToldArgument {
  std::string name;
  std::string value;
  ArgumentOrigin origin;
};

// Those of all arguments of `module`, a call of a root of `plugin` with which a file fits, of which `changed` are not
// the catalog's. Empty if they do not bind.
std::vector<ToldArgument> OriginsOf(const Plugin& plugin, const Call& module,
                                    const std::map<std::string, std::string>& changed);

// "--model=dinov2_vits14 --set=grid=16"; what the user has to give is a word of capitals: "--set=dim=48,heads=HEADS".
std::string FlagsOf(const InferredModel& model);

// What the user has to give for arguments that a file does not tell: {"heads": "HEADS"}.
std::map<std::string, std::string> PlaceholdersOf(const std::vector<std::string>& asked);

// "grid=16,classes=10", as --set takes it.
std::string ArgumentsText(const std::map<std::string, std::string>& arguments);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_INFER_MODELS_H_
