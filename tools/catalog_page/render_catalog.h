// The catalog for people and for programs, made from the manifests of its artifacts.
#ifndef MODELPORT_TOOLS_CATALOG_PAGE_RENDER_CATALOG_H_
#define MODELPORT_TOOLS_CATALOG_PAGE_RENDER_CATALOG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

// {"models": [MANIFEST, ...]}, each as WriteManifest writes it.
absl::StatusOr<std::string> CatalogJson(const std::vector<Manifest>& manifests);

// A page of HTML that needs no other file and no network: a table of the artifacts, in the order of `manifests`.
absl::StatusOr<std::string> CatalogHtml(const std::vector<Manifest>& manifests);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_CATALOG_PAGE_RENDER_CATALOG_H_
