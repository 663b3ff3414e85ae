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
#include "artifact/format/stored_artifact.h"
#include "artifact/request/artifact_request.h"
#include "common/expression/expression.h"
#include "common/io/writer.h"
#include "common/manifest/manifest.pb.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_tree.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/proof/proof_result.h"

namespace modelport {

struct BuiltModule;  // artifact/format/built_module.h

// What a proof runs: calls of a module, and what its entry points have to give.
struct ProvenCalls {
  const std::vector<Call>& examples;
  const std::vector<EntryPoint>& entry_points;
  bool allow_nonfinite = false;  // Whether outputs may be NaN or infinite.
};

// Makes the manifest that is written into an artifact.
using ManifestText = std::function<absl::StatusOr<std::string>()>;

// What an artifact is written to.
struct ArtifactWriters {
  Writer& file;
  Writer* data = nullptr;      // For the data file beside it; null unless has_data().
  std::string data_name = {};  // By which the artifact names that file: "m.onnx.data".
};

// Where this process can read an artifact that was written, before its files have names.
struct WrittenArtifact {
  std::string file;
  std::string data = {};       // "" unless has_data().
  std::string data_name = {};  // As of the writers.
};

// An artifact of a built module, of which all is made but the file. It borrows the module's tensors.
class PreparedArtifact {
 public:
  virtual ~PreparedArtifact() = default;

  // Adds what the code has and needs: methods, operators and runtimes.
  virtual void DescribeCode(Manifest& manifest) const = 0;

  // Adds the facts of the file that depend on its format.
  virtual void DescribeFile(Manifest::Artifact& file) const = 0;

  // Makes sure that the request's host and runtime can use the artifact. Messages begin with the model.
  //   FailedPrecondition  names what they cannot use, and its lines
  virtual absl::Status CheckCanRun() const = 0;

  // Whether it has a data file beside it, with most of its weights.
  virtual bool has_data() const = 0;

  // Writes the artifact. Equal modules, manifests and names give equal bytes. `manifest` is called after everything
  // else has been written; each tensor's bytes go to one call of WriteLasting.
  virtual absl::Status Write(const ManifestText& manifest, const ArtifactWriters& out) = 0;

  // Makes sure that what Write has written is as DescribeFile says. Messages call it `name`.
  virtual absl::Status CheckWritten(const WrittenArtifact& written, const std::string& name) const = 0;

  // Loads what Write has written and compares it with the module. Each read calls `on_bytes` with its number of bytes.
  // Errors as ProveRoundTrip.
  virtual absl::StatusOr<RoundTrip> Prove(const WrittenArtifact& written, const ProvenCalls& calls,
                                          const std::function<void(int64_t)>& on_bytes) const = 0;

  // Compares `file`, which is of this format, and its data file byte by byte with what Write would write. `slots` are
  // those of the module's tree.
  //   DataLoss  names the first place that differs
  virtual absl::Status CompareBytes(const StoredArtifact& file, const std::vector<Slot>& slots,
                                    const ManifestText& manifest) = 0;

  // The same as Prove for the file that CompareBytes has just found equal.
  virtual absl::StatusOr<RoundTrip> ProveEqual(const StoredArtifact& file, const ProvenCalls& calls) const = 0;
};

// A format of artifacts. Each is a folder here; a target names the one that its host loads.
class ArtifactFormat {
 public:
  virtual ~ArtifactFormat() = default;

  // Of its files: ".pt".
  virtual absl::string_view ending() const = 0;

  // Whether its files hold one method alone, the request's.
  virtual bool holds_one_method() const = 0;

  // Whether the images that its files take may be of uint8 from 0 to 255 where their code says so; else all are floats.
  virtual bool takes_bytes() const = 0;

  // Whether a host can set the knobs of its files; else they are constants there.
  virtual bool keeps_knobs() const = 0;

  // Makes the artifact of `built` that `request` asks for.
  //   InvalidArgument  the request has what this format does not
  //   Unimplemented    the code has what this format does not; names its line and the reason
  virtual absl::StatusOr<std::unique_ptr<PreparedArtifact>> Prepare(const ArtifactRequest& request,
                                                                    const BuiltModule& built) const = 0;

  // Makes sure that what proves its artifacts is at hand.
  //   FailedPrecondition  it is not; says how to get it
  virtual absl::Status CheckCanProve() const = 0;

  // The dtype of inputs and outputs that state none, where the weights are of `weights`.
  virtual DType PortType(DType weights) const = 0;

  // Whether a proof may have found that an output differs as `stated` on the machine that made it; `output` is of the
  // same call on this machine.
  virtual bool IsPossible(DType weights, const Manifest::Output& stated, const ComparedOutput& output) const = 0;
};

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_FORMAT_ARTIFACT_FORMAT_H_
