// The Registry holds every plugin: those built into the binary and those of --plugin_path.
#ifndef MODELPORT_REGISTRY_REGISTRY_H_
#define MODELPORT_REGISTRY_REGISTRY_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "registry/plugin.h"
#include "registry/plugin_folder.h"

namespace modelport {

// A variant and the plugin it belongs to.
struct CatalogEntry {
  const Plugin* plugin;
  const Variant* variant;
};

class Registry {
 public:
  // Links the plugins `built_in`, and those in the folders `plugin_paths` and in all folders below them. A folder's
  // plugin replaces the built-in one of the same family. The variants of a built-in one are not checked, as
  // LinkPlugins says.
  //   NotFound         no plugin.yaml there
  //   InvalidArgument  every problem of every file: file, line, field and the nearest valid name; two plugins or
  //                    variants of one name
  static absl::StatusOr<Registry> Load(const BuiltIn& built_in, const std::vector<std::string>& plugin_paths);

  // All variants, by family and then in file order.
  std::vector<CatalogEntry> catalog() const;

  // NotFound: unknown model "dav2_vit"; nearest: dav2_vits, dav2_vitb, dav2_vitl.
  absl::StatusOr<CatalogEntry> Find(absl::string_view variant) const;

  // The registry with one family alone, whose plugin it shares. NotFound: no such family.
  absl::StatusOr<Registry> Only(absl::string_view family) const;

 private:
  Registry(std::vector<std::shared_ptr<const Plugin>> plugins, bool has_added)
      : plugins_(std::move(plugins)), has_added_(has_added) {}

  std::vector<std::shared_ptr<const Plugin>> plugins_;
  bool has_added_;  // Whether some come from `plugin_paths`.
};

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_REGISTRY_H_
