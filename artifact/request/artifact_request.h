#ifndef MODELPORT_ARTIFACT_REQUEST_ARTIFACT_REQUEST_H_
#define MODELPORT_ARTIFACT_REQUEST_ARTIFACT_REQUEST_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/manifest/manifest.pb.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/runtime/runtime.h"
#include "registry/plugin.h"
#include "registry/recognise/weight_source.h"
#include "registry/registry.h"
#include "targets/targets.h"

namespace modelport {

// Which artifact is meant. Equal requests of one plugin and equal files of weights give equal artifacts.
struct ArtifactRequest {
  CatalogEntry entry = {};                         // Of a registry that outlives the request, but for `changed`.
  const Target* target = *FindTarget("libtorch");  // The host that the artifact is for.
  std::string wrapper = {};                        // The plugin's wrapper for the target; empty: the default.
  const Runtime* runtime = nullptr;                // The runtime it is made for; null: the newest.
  DType dtype = DType::kFloat32;                   // Of the artifact's weights.
  std::vector<std::string> outputs = {};           // Those of the model's forward to keep; empty: all.
  bool with_preprocess = false;                    // Whether the artifact prepares images itself.
  WeightSource weights = {};                       // Seeded weights by default.
  // Arguments of the root that differ from the plugin's, as it would write them: max_depth -> "35.0".
  std::map<std::string, std::string> arguments = {};
  // Sizes of the method's inputs that an ONNX file has fixed, by their letters in the plugin's shapes: H -> 518.
  // Other letters stay free.
  std::map<std::string, int64_t> sizes = {};
  std::string method = "forward";  // Of the model's entry points the one that an ONNX file computes.
  int opset = 0;                   // Of an ONNX file; 0: that of files that ask for none.
  bool external_data = false;      // Whether the weights lie in a file beside an ONNX file, also where they need not.
  // Values of the wrapper's knobs that differ from the plugin's: convention -> 1.
  std::map<std::string, double> knobs = {};
  std::string name = {};          // Of the artifact and of its node in a host; empty: NameOfArtifact tells it.
  std::string licence_text = {};  // Of the weights, which the artifact brings along; empty: it brings none.
  // The variant with these arguments, which `entry` has then; null: there are none.
  std::shared_ptr<const Variant> changed = {};
};

// Gives arguments of the root of the request's variant other values: "max_depth=35" or "max_depth=35,taps=[1, 2]", in
// the language of plugins (expression.h).
//   InvalidArgument  no such argument, or a value that is none or of another kind; the message begins with --set
absl::Status SetArguments(absl::string_view settings, ArtifactRequest& request);

// The same with the arguments that a manifest states. Its messages begin with "arguments".
absl::Status SetStatedArguments(const Manifest& stated, ArtifactRequest& request);

// Fixes sizes of the inputs: "H=518" or "B=1,H=518,W=518".
//   InvalidArgument  the message begins with --sizes
absl::Status SetSizes(absl::string_view settings, ArtifactRequest& request);

// Gives knobs of the wrapper other values: "convention=1,max_size=512". BuildTargetTree checks them.
//   InvalidArgument  the message begins with --knob
absl::Status SetKnobs(absl::string_view settings, ArtifactRequest& request);

// The name of the artifact, as ArtifactName says: the request's, or "resnet50", "resnet50_classes" after the variant
// or, in its place, after `model`, and the wrapper or the method.
//   InvalidArgument  as FindWrapper
absl::StatusOr<std::string> NameOfArtifact(const ArtifactRequest& request, absl::string_view model = "");

// What a manifest says of `request`, which StatedRequest reads back: all but the weights.
Manifest::Request StateRequest(const ArtifactRequest& request);

// What the export was asked for that wrote `manifest`. Of the weights it has the seeded ones; a manifest does not name
// the paths of checkpoints. Anybody may have written a manifest.
//   NotFound         no such model
//   InvalidArgument  no such target, runtime or wrapper
//   DataLoss         no such dtype
absl::StatusOr<ArtifactRequest> StatedRequest(const Registry& registry, const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_REQUEST_ARTIFACT_REQUEST_H_
