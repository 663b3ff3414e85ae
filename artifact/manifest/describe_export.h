#ifndef MODELPORT_ARTIFACT_MANIFEST_DESCRIBE_EXPORT_H_
#define MODELPORT_ARTIFACT_MANIFEST_DESCRIBE_EXPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/manifest/manifest.pb.h"
#include "common/module_tree/entry_point.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/proof/round_trip.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/module_fwd.h"
#include "common/torchscript/weights/bind_tensors.h"
#include "registry/plugin.h"
#include "registry/recognise/map_weights.h"
#include "registry/registry.h"
#include "registry/target_tree.h"
#include "targets/target/target.h"

namespace modelport {

// What an artifact is made of.
struct ArtifactParts {
  const CatalogEntry& entry;
  const Target& target;
  const TargetTree& tree;
  const torch::jit::Module& module;        // Of `tree.whole`.
  const std::vector<Operator>& operators;  // Of `module`.
  ArchiveFormat format;                    // WrittenFormat of these.
  DType dtype;
  const Runtime* runtime;  // The runtime it is made for; null if the export names none.
};

// Begins the manifest of an artifact: all fields but those that the functions below add, about the source of the
// weights, the file and the proof.
Manifest DescribeModule(const ArtifactParts& parts);

// Adds what the weights come from and how they became those of the module. `sources` has "sha256:HEX" for each part, or
// "seeded:v1:SEED"; `bound` the tensors of each part.
void DescribeSource(const std::vector<std::string>& sources, const std::vector<MappedPart>& parts,
                    const std::vector<BoundTensors>& bound, Manifest& manifest);

// The fields that DescribeSource adds, which only the source of the weights tells.
const std::vector<std::string>& SourceFields();

// Copies these fields from `stated`, another manifest of the artifact, for a caller who lacks the checkpoint. Which
// file fills which of `parts` is not copied but made; there are as many in `stated`.
void CopySource(const Manifest& stated, const std::vector<WeightPart>& parts, Manifest& manifest);

// The part of `manifest` that the archive holds: without the fields of the functions below and, unless the weights are
// seeded, without what the manifest says of their source. So equal weights give equal archives, whatever the files and
// layouts are that they were read from.
Manifest ManifestWithin(Manifest manifest);

// Adds the facts of the whole file.
void DescribeFile(const std::string& sha256, int64_t size, const ArchiveFormat& format, Manifest& manifest);

// Adds what the round trip proved, or that none was made if `round_trip` is empty.
void DescribeProof(const absl::optional<RoundTrip>& round_trip, Manifest& manifest);

// Adds what the entry points of `module`, for which CheckEntryPoints is OK, take and give. `dtype` is that of the
// weights, and `preprocessing` says what a prepared image is.
void DescribeEntryPoints(const std::vector<EntryPoint>& entry_points, const torch::jit::Module& module,
                         const Preprocessing& preprocessing, DType dtype, Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_MANIFEST_DESCRIBE_EXPORT_H_
