#ifndef MODELPORT_ARTIFACT_BUILD_DESCRIBE_MODULE_H_
#define MODELPORT_ARTIFACT_BUILD_DESCRIBE_MODULE_H_

#include "artifact/build/target_tree.h"
#include "artifact/format/artifact_format.h"
#include "artifact/format/built_module.h"
#include "artifact/request/artifact_request.h"
#include "common/manifest/manifest.pb.h"
#include "registry/plugin.h"

namespace modelport {

// Begins the manifest of an artifact: all fields but those that describe_export.h adds, about the source of the
// weights, the file and the proof. `preprocessing` is that of the variant, `built` the module of `tree.whole`, and
// `prepared` the artifact of `format` that is made of it.
Manifest DescribeModule(const ArtifactRequest& request, const Preprocessing& preprocessing, const TargetTree& tree,
                        const ArtifactFormat& format, const PreparedArtifact& prepared, const BuiltModule& built);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_DESCRIBE_MODULE_H_
