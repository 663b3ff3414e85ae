// Compares two checkpoints or artifacts.
#ifndef MODELPORT_TOOLS_DIFF_DIFF_FILES_H_
#define MODELPORT_TOOLS_DIFF_DIFF_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "registry/recognise/weight_source.h"
#include "registry/registry.h"
#include "tools/diff/compare_tensors.h"
#include "tools/diff/configuration.h"

namespace modelport {

// What one of the files is.
struct DiffSide {
  std::string path = {};
  std::string format = {};               // "safetensors", "artifact".
  std::string model = {};                // The variant as which it is compared; empty: none of the catalog.
  std::vector<std::string> also = {};    // The other variants that its keys fit.
  std::string layout = {};               // Of a checkpoint with a model.
  std::string state_dict = {};           // The path of the dictionary that is compared, "" for the root.
  std::vector<std::string> beside = {};  // Other parts of a checkpoint, which are not compared: "optimizer".
  // Why a model whose keys and shapes it has does not take it: two of its parts fit. Empty: there is none such.
  std::string refusal = {};
};

struct FileDifference {
  DiffSide a, b;
  // Whether both have a model, so that settings are compared and tensors by the slots that they fill. If not, tensors
  // are compared by their keys in the files.
  bool by_slot = false;
  std::vector<ConfigurationDifference> settings;
  std::vector<TensorComparison> tensors;

  bool is_equal() const;
};

// Compares the files `a` and `b`, each a checkpoint in any layout or an artifact that Modelport wrote. Of an artifact
// all is compared, whatever is chosen of it, so that one choice serves an artifact and a checkpoint. A checkpoint is of
// `model`, or if that is empty, of the variants of the catalog that it fits: one that the other file is of, too, or
// else the first. Slots that a checkpoint lacks are not filled. The tensors of an artifact are taken in the order of
// the slots of its model, as Modelport writes them; only `verify` proves that its code uses them so. Where it was made
// from another text of its plugin, a TorchScript file is read as a checkpoint, by the names that it has.
//   NotFound            no such file, or no such model
//   InvalidArgument     neither a checkpoint nor an artifact with a manifest, or no such dictionary or layout; two
//                       artifacts of which a part or a model is chosen
//   FailedPrecondition  a checkpoint does not fit `model`, or an artifact is of a model that is not in the catalog
//   DataLoss            a damaged file, or an artifact whose tensors are not those of its model
absl::StatusOr<FileDifference> DiffFiles(const Registry& registry, const CheckpointFile& a, const CheckpointFile& b,
                                         const std::string& model);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_DIFF_DIFF_FILES_H_
