// A plugin of one small family, for tests: its module type Net, with and without wrappers.
#ifndef MODELPORT_REGISTRY_TESTING_NET_PLUGIN_H_
#define MODELPORT_REGISTRY_TESTING_NET_PLUGIN_H_

#include <string>

#include "registry/plugin_folder.h"

namespace modelport {

inline constexpr char kLayers[] = R"yaml(modules:
  Linear(inputs, outputs): {parameters: {weight: [outputs, inputs]}}
)yaml";

inline constexpr char kNet[] = R"yaml(modules:
  Net(dim): {children: {fc: "Linear(dim, 2)"}}
)yaml";

inline constexpr char kKeyMap[] = "layouts: {original: {recognise: [fc.weight]}}\n";

inline constexpr char kWrappedNet[] = R"yaml(modules:
  Net(dim): {children: {fc: "Linear(dim, 2)"}}
  Wrapper(mean, dim):
    interface: {kind: depth, channels_in: [rgba.red], channels_out: [depth.Z], category: c, multiple_of: dim, examples: ["forward([1, 1])"]}
    constants: {mean: mean, dim: dim}
)yaml";

// A plugin of these texts; empty ones are left out.
PluginFolder Folder(const std::string& path, const std::string& plugin, const std::string& modules,
                    const std::string& key_map = "");

// The begin of a plugin.yaml.
std::string Header(const std::string& family, const std::string& uses);

// `header` with a variant, whose root is `module`.
std::string WithVariant(const std::string& header, const std::string& name, const std::string& module);

// The family of Linear.
PluginFolder Layers();

// The family `net`, with the variant net_a.
PluginFolder Net();

// The same with a wrapper for Nuke around `root`.
PluginFolder WrappedNet(const std::string& root, const std::string& wrapper, const std::string& modules = kWrappedNet);

// The same with a wrapper for images.
PluginFolder NetOfImages(const std::string& wrapper, const std::string& modules);

// The same with two wrappers for Nuke, the second with the condition `when`, in two variants, of which the second,
// net_b, has no normals.
PluginFolder NetOfSeveralWrappers(const std::string& when);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_TESTING_NET_PLUGIN_H_
