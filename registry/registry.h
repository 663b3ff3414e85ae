// The Registry holds every plugin: those embedded in the binary and those of a --plugin_path folder.
#ifndef MODELPORT_REGISTRY_REGISTRY_H_
#define MODELPORT_REGISTRY_REGISTRY_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "registry/plugin.h"

namespace modelport {

// A variant and the plugin it belongs to.
struct CatalogEntry {
  const Plugin* plugin;
  const Variant* variant;
};

class Registry {
 public:
  // Parses the embedded plugins and, if `plugin_path` is not empty, those in that folder and in all folders below it. A
  // folder's plugin replaces the embedded one of the same family.
  //   NotFound         no plugin.yaml there
  //   InvalidArgument  every problem of every file: file, line, field and the nearest valid name; two plugins or
  //                    variants of one name
  static absl::StatusOr<Registry> Load(const std::string& plugin_path);

  // The embedded variants and those of --plugin_path, by family and then in file order.
  std::vector<CatalogEntry> catalog() const;

  // NotFound: unknown model "dav2_vit"; nearest: dav2_vits, dav2_vitb, dav2_vitl.
  absl::StatusOr<CatalogEntry> Find(absl::string_view variant) const;

 private:
  explicit Registry(std::vector<std::unique_ptr<const Plugin>> plugins) : plugins_(std::move(plugins)) {}

  std::vector<std::unique_ptr<const Plugin>> plugins_;
};

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_REGISTRY_H_
