#ifndef MODELPORT_PIPELINE_DESCRIBE_EXPORT_H_
#define MODELPORT_PIPELINE_DESCRIBE_EXPORT_H_

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/artifact/archive_format.h"
#include "common/artifact/manifest.pb.h"
#include "common/artifact/operators.h"
#include "common/artifact/round_trip.h"
#include "common/artifact/runtime.h"
#include "common/artifact/target.h"
#include "common/module_tree/module_tree.h"
#include "common/tensor/dtype.h"
#include "common/weights/bind_tensors.h"
#include "pipeline/weight_source.h"
#include "registry/registry.h"

namespace modelport {

// What an export knows when it is done.
struct ExportFacts {
  const CatalogEntry& entry;
  const Target& target;
  const ModuleNode& root;  // Of the artifact's tree.
  const MappedWeights& weights;
  const BoundTensors& bound;
  const torch::jit::Module& module;
  const std::vector<Operator>& operators;  // Of `module`.
  ArchiveFormat format;                    // Of the artifact, as are size and digest.
  int64_t artifact_size;
  std::string artifact_sha256;
  const absl::optional<RoundTrip>& round_trip;  // None if none was made.
  std::string source;                           // "sha256:..." or "seeded:v1:SEED".
  DType dtype;
  const Runtime* runtime;  // That it was made for; null: none in particular.
};

// The manifest that says it all.
Manifest DescribeExport(const ExportFacts& facts);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_DESCRIBE_EXPORT_H_
