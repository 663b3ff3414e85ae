#ifndef MODELPORT_ARTIFACT_FORMAT_ARTIFACT_FORMAT_H_
#define MODELPORT_ARTIFACT_FORMAT_ARTIFACT_FORMAT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "artifact/format/built_module.h"
#include "artifact/request/artifact_request.h"
#include "common/expression/expression.h"
#include "common/io/writer.h"
#include "common/manifest/manifest.pb.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_tree.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/archive/artifact_file.h"
#include "common/torchscript/proof/round_trip.h"
#include "common/torchscript/weights/weights.h"

namespace modelport {

// What a proof runs: calls of a module, and what its entry points have to give.
struct ProvenCalls {
  const std::vector<Call>& examples;
  const std::vector<EntryPoint>& entry_points;
  bool allow_nonfinite = false;  // Whether outputs may be NaN or infinite.
};

// Makes the manifest that is written into an artifact.
using ManifestText = std::function<absl::StatusOr<std::string>()>;

// An artifact that was made in memory, to compare a file with. It borrows from its module.
class RemadeArtifact {
 public:
  virtual ~RemadeArtifact() = default;

  // Compares the file with it, byte by byte. `slots` are those of the module's tree.
  //   DataLoss  names the first place that differs
  virtual absl::Status CompareBytes(const ArtifactFile& file, const std::vector<Slot>& slots) const = 0;

  // Loads it and compares what it computes with the module. Errors as CompareModules.
  virtual absl::StatusOr<RoundTrip> Prove(const ProvenCalls& calls) const = 0;
};

// How the artifact of a built module is checked, written, proven and compared. Each format is a folder here; a target
// names the one that its host loads. No method reads an untrusted file but StoredTensors, CompareTensors and
// CompareBytes, which run none of its code.
class ArtifactFormat {
 public:
  virtual ~ArtifactFormat() = default;

  // Of its files: ".pt".
  virtual absl::string_view ending() const = 0;

  // Adds what the code has and needs: methods, operators and runtimes.
  virtual void DescribeCode(const ArtifactRequest& request, const BuiltModule& built, Manifest& manifest) const = 0;

  // Adds the facts of the file that depend on its format.
  virtual void DescribeFile(const ArtifactRequest& request, const BuiltModule& built,
                            Manifest::Artifact& file) const = 0;

  // Makes sure that the request's host and runtime can use the artifact.
  //   FailedPrecondition  names what they cannot use, and its lines
  virtual absl::Status CheckCanRun(const ArtifactRequest& request, const BuiltModule& built) const = 0;

  // Writes the artifact. Equal modules and manifests give equal bytes. `manifest` is called after everything else has
  // been written; each tensor's bytes go to one call of WriteLasting.
  virtual absl::Status Write(const ArtifactRequest& request, const BuiltModule& built, const ManifestText& manifest,
                             Writer& out) const = 0;

  // Makes sure that the file `path`, which Write has written, is as DescribeFile says. Messages call it `name`.
  virtual absl::Status CheckWritten(const ArtifactRequest& request, const BuiltModule& built, const std::string& path,
                                    const std::string& name) const = 0;

  // Loads the file `path`, which Write has written, and compares it with the module. Each read calls `on_bytes` with
  // its number of bytes. Errors as ProveRoundTrip.
  virtual absl::StatusOr<RoundTrip> Prove(const ArtifactRequest& request, const BuiltModule& built,
                                          const std::string& path, const ProvenCalls& calls,
                                          const std::function<void(int64_t)>& on_bytes) const = 0;

  // What Write would write.
  virtual absl::StatusOr<std::unique_ptr<RemadeArtifact>> Remake(const ArtifactRequest& request,
                                                                 const BuiltModule& built,
                                                                 const ManifestText& manifest) const = 0;

  // The tensors of `file` for `slots`, of which `dtype` is that of those that name none. They are borrowed from it, and
  // their numbers may be read only after CompareBytes has found it equal, since only then they are known to be aligned.
  //   DataLoss  as TensorRecords
  virtual absl::StatusOr<BoundTensors> StoredTensors(const ArtifactFile& file, const std::vector<Slot>& slots,
                                                     DType dtype) const = 0;

  // Compares the tensors of `file` for `slots` with those of `bound`.
  //   DataLoss  names the first that differs; or as TensorRecords
  virtual absl::Status CompareTensors(const ArtifactFile& file, const std::vector<Slot>& slots, DType dtype,
                                      const std::vector<BoundTensors>& bound) const = 0;
};

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_FORMAT_ARTIFACT_FORMAT_H_
