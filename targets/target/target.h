// Targets: the hosts that artifacts are made for. Each is a folder here.
#ifndef MODELPORT_TARGETS_TARGET_TARGET_H_
#define MODELPORT_TARGETS_TARGET_TARGET_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/tensor/dtype.h"

namespace modelport {

// common/manifest/manifest.pb.h; declared here, so that what only asks for names does not read it.
class Manifest;

// A file beside an artifact in a folder for its host.
struct PackageFile {
  std::string name;  // "dav2_vits.gizmo"
  std::string text;
};

// The text of the weights' licence in a folder for a host, if the artifact brings it along.
inline constexpr char kLicenceFile[] = "WEIGHTS_LICENSE.txt";

// An icon in a folder for a host: a square of so many pixels, in a PNG called after the artifact.
struct PackageIcon {
  std::string ending;  // "@2x.png"
  int side;
};

// The formats of artifacts: artifact/format has a folder for each.
enum class FormatKind { kTorchScript, kOnnx };

// What a host takes of nodes of ONNX: of this operator those whose attribute has one of these values, or its default.
struct NodeRule {
  std::string operation;
  std::string attribute;
  std::vector<std::string> allowed;
};

// What a host of ONNX files asks of them. A member that is empty sets no condition.
struct OnnxRules {
  std::map<std::string, int64_t> sizes = {};  // Sizes of inputs that files have fixed, by their letters.
  std::vector<std::string> wants_sizes = {};  // Letters whose sizes a request has to fix.
  std::vector<NodeRule> nodes = {};
  int64_t sorts_fewer_than = 0;  // The elements that TopK gives; 0: any number.
  int newest_opset = 0;          // That it reads; 0: any.
};

// A host. A member that is empty or null sets no condition.
struct Target {
  std::string name;                              // As flags and manifests have it: "libtorch".
  std::string title;                             // As people call it: "LibTorch".
  FormatKind format = FormatKind::kTorchScript;  // Of its artifacts.
  // The host whose wrappers plugins put around their models: its own name, or that of another host that gives and takes
  // pictures in the same form; empty: models are taken as they are. An artifact of a wrapped model keeps only `forward`
  // and what it calls, and its tree has an interface.
  std::string wrappers = "";
  bool wraps() const { return !wrappers.empty(); }
  // The newest LibTorch in any release of this host; empty: any.
  std::string newest_runtime = "";
  // Two releases of this host, as help shows them: "14 or 15.1".
  std::string example_releases = "";
  // The LibTorch in a release of this host, as common/torchscript/runtime/runtime.h names it; null: the host has no
  // releases. A host that has some has a flag of its name.
  //   InvalidArgument  an unknown release; names the known ones
  absl::StatusOr<std::string> (*runtime_of)(absl::string_view release) = nullptr;
  // The releases that load an artifact, for people: "Host 14.0 to 15.0, 15.1", or "no Host". The oldest
  // LibTorch that loads it is `minimum_runtime`, empty if none does; null: the host has no releases.
  std::string (*loaded_by)(absl::string_view minimum_runtime) = nullptr;
  // The names that the host has for channels, for the interfaces of wrappers.
  std::vector<std::string> channels = {};
  // The dtypes that the host computes in.
  std::vector<DType> dtypes = {};
  OnnxRules onnx = {};
  // What CheckArtifact asks for this host alone.
  //   FailedPrecondition  it cannot use the artifact that the manifest describes
  absl::Status (*check)(const Manifest& manifest) = nullptr;
  // The files beside a proven artifact in a folder for the host; null: the host has no packages. `picture` is the name
  // of a file in that folder that shows what the artifact makes of an image, "" for none. Equal manifests give equal
  // files.
  //   FailedPrecondition  as `check`
  absl::StatusOr<std::vector<PackageFile>> (*package)(const Manifest& manifest, const std::string& picture) = nullptr;
  // Those files of `package` that show what the artifact makes of an image where the user gives one.
  std::vector<PackageIcon> icons = {};
  // The files of a folder for a node `name` that runs one of several artifacts, each of a package of its own, as its
  // user chooses; null: the host has no such nodes. Equal manifests give equal files.
  //   FailedPrecondition  the artifacts differ in what one node has to know
  absl::StatusOr<std::vector<PackageFile>> (*choice)(const std::vector<Manifest>& manifests,
                                                     const std::string& name) = nullptr;
  // Where packages go, "the Host's Library", and what to do with that of the artifact `path`, which lacks its ending
  // and has this manifest.
  std::string package_place = "";
  std::string (*next_step)(const std::string& path, const Manifest& manifest) = nullptr;
};

// Makes sure that the host can use the artifact that the manifest describes. Outputs are checked as far as a round trip
// saw them.
//   FailedPrecondition  an output of a wrapper is not one image for each of the call, of the channels that its
//                       interface names and of its size, or as many times larger as it states; or target.check fails
absl::Status CheckArtifact(const Target& target, const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_TARGETS_TARGET_TARGET_H_
