#ifndef MODELPORT_ARTIFACT_VERIFY_VERIFY_ARTIFACT_H_
#define MODELPORT_ARTIFACT_VERIFY_VERIFY_ARTIFACT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "artifact/format/artifact_format.h"
#include "common/manifest/manifest.pb.h"
#include "common/torchscript/proof/proof_result.h"
#include "registry/registry.h"

namespace modelport {

struct ReferenceComparison;  // common/torchscript/parity/compare_reference.h

// A file of stored inputs and outputs to compare the artifact with (common/torchscript/parity/reference.h).
struct ReferenceFile {
  std::string path;
  absl::optional<double> tolerance = {};  // As CompareReference takes it.
};

// How far an artifact is verified; each includes those before it.
enum class Tier {
  kFile,     // It is the file that its manifest, and its signature if that is checked, are about.
  kWeights,  // Its tensors are those of the checkpoint, bit by bit.
  kCode,     // Every byte of it, and every field of its manifest, is as this release makes it from the plugin.
};

// What a verification checked with success, and what it could not check.
struct Verification {
  Tier reached = Tier::kCode;
  Manifest manifest = {};
  std::vector<std::string> passed = {};
  std::vector<std::string> not_checked = {};
  // Null if there was no reference. May hold tensors that did not pass.
  std::shared_ptr<const ReferenceComparison> reference = nullptr;
};

// Verifies the artifact file `artifact` and its manifest, beside it or in it, up to Tier::kCode by making both anew:
// from the plugin and from `checkpoints`, those that it was made from in any order, if there are some, else from seeded
// weights if these were used, else from the tensors of the file itself, whose origin is then not checked. Every byte of
// the file and every field of the manifest must be the same; only what was measured in a run may differ, within
// tolerance. LibTorch is given what was made anew, never the file. With Tier::kWeights as `at_least` a checkpoint may
// be another file than the manifest names, such as one of another layout with the same tensors.
//
// If `public_key` names a file, the signature beside the artifact is checked before anything else is read of the two
// files: the owner of that key must have signed both (artifact_signature.h). Else it is not checked.
//   NotFound            no artifact, no manifest, or no such model
//   InvalidArgument     not a manifest
//   DataLoss            damaged or altered; names the field, or the record and its line or slot
//   FailedPrecondition  made from another checkpoint; or outputs are not finite and the manifest says that they are; or
//                       made by another release or from another text of the plugin
//   Unavailable         a kernel of this machine does not agree with itself, so that outputs cannot be compared
//   others              as CheckSignature
//
// What another release made, or another text of the plugin, this one cannot make anew. With another tier than kCode as
// `at_least` it is verified as far as that goes: for kFile the manifest has to lie beside the artifact; for kWeights
// the checkpoint has to be given, unless the weights are seeded, and the plugin needs the slots that it had.
//
// The verified module is then compared with `reference`, if one is given.
//   FailedPrecondition  the reference is another model's
//   others              as ReadReference and CompareReference
absl::StatusOr<Verification> VerifyArtifact(const Registry& registry, const std::string& artifact,
                                            const std::vector<std::string>& checkpoints,
                                            const absl::optional<ReferenceFile>& reference = absl::nullopt,
                                            const std::string& public_key = "", Tier at_least = Tier::kCode);

// Returns what is wrong with `stated`, the proof of an artifact of `format` and `weights` whose round trip has just
// given `round_trip`; empty if nothing is. Fields that depend on the machine of the export must have a value that some
// machine measures, all others the value of `round_trip`.
std::vector<std::string> ProofErrors(const ArtifactFormat& format, DType weights, const Manifest::RoundTrip& stated,
                                     const RoundTrip& round_trip);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_VERIFY_VERIFY_ARTIFACT_H_
