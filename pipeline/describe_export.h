#ifndef MODELPORT_PIPELINE_DESCRIBE_EXPORT_H_
#define MODELPORT_PIPELINE_DESCRIBE_EXPORT_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/artifact/manifest.pb.h"
#include "common/artifact/round_trip.h"
#include "common/artifact/runtime.h"
#include "common/module_tree/knob.h"
#include "common/tensor/dtype.h"
#include "common/weights/bind_tensors.h"
#include "pipeline/weight_source.h"
#include "registry/registry.h"

namespace modelport {

// What an export knows when it is done.
struct ExportFacts {
  const CatalogEntry& entry;
  const std::string& target;
  const std::vector<Knob>& knobs;  // Of the artifact's root.
  const MappedWeights& weights;
  const BoundTensors& bound;
  const torch::jit::Module& module;
  std::string artifact_path;  // Where the artifact can be read, under whatever name.
  std::string artifact_sha256;
  const absl::optional<RoundTrip>& round_trip;  // None if none was made.
  std::string source;                           // "sha256:..." or "seeded:v1:SEED".
  DType dtype;
  absl::optional<Runtime> runtime;  // That it was made for.
};

// The manifest that says it all.
absl::StatusOr<Manifest> DescribeExport(const ExportFacts& facts);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_DESCRIBE_EXPORT_H_
