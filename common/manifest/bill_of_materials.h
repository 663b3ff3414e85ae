#ifndef MODELPORT_COMMON_MANIFEST_BILL_OF_MATERIALS_H_
#define MODELPORT_COMMON_MANIFEST_BILL_OF_MATERIALS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

// The bill of materials of an artifact, CycloneDX 1.5 in JSON of ASCII characters: the artifact with its `sha256`, its
// licences and what was proven; the files of weights, the plugin and upstream's code that it was made from; the
// programs that made it. Equal manifests give equal bytes. It repeats what the manifest says and checks nothing of it.
std::string BillOfMaterials(const Manifest& manifest, absl::string_view sha256);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_BILL_OF_MATERIALS_H_
