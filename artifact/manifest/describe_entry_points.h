#ifndef MODELPORT_ARTIFACT_MANIFEST_DESCRIBE_ENTRY_POINTS_H_
#define MODELPORT_ARTIFACT_MANIFEST_DESCRIBE_ENTRY_POINTS_H_

#include <vector>

#include "common/manifest/manifest.pb.h"
#include "common/module_tree/entry_point.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/script/module_fwd.h"
#include "registry/plugin.h"

namespace modelport {

// Adds what the entry points of `module`, for which CheckEntryPoints is OK, take and give. `dtype` is that of the
// weights, and `preprocessing` says what a prepared image is.
void DescribeEntryPoints(const std::vector<EntryPoint>& entry_points, const torch::jit::Module& module,
                         const Preprocessing& preprocessing, DType dtype, Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_MANIFEST_DESCRIBE_ENTRY_POINTS_H_
