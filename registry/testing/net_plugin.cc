#include "registry/testing/net_plugin.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace modelport {

PluginFolder Folder(const std::string& path, const std::string& plugin, const std::string& modules,
                    const std::string& key_map) {
  PluginFolder folder{path, {}};
  if (!key_map.empty()) folder.files.push_back({path + "/keymap.yaml", key_map});
  if (!modules.empty()) folder.files.push_back({path + "/modules.yaml", modules});
  folder.files.push_back({path + "/plugin.yaml", plugin});
  return folder;
}

std::string Header(const std::string& family, const std::string& uses) {
  return "family: " + family + "\nsummary: s\nupstream: {source: x, commit: y, licence: MIT}\nuses: [" + uses + "]\n";
}

std::string WithVariant(const std::string& header, const std::string& name, const std::string& module) {
  return header + "examples: [\"forward([1])\"]\npreprocessing: {mean: [0, 0, 0], std: [1, 1, 1]}\nvariants:\n  " +
         name + ":\n    summary: s\n    module: " + module + "\n    file: f.pth\n    url: u\n    licence: MIT\n";
}

PluginFolder Layers() { return Folder("models/layers", Header("layers", ""), kLayers); }
PluginFolder Net() {
  return Folder("models/net", WithVariant(Header("net", "layers"), "net_a", "Net(3)"), kNet, kKeyMap);
}

PluginFolder WrappedNet(const std::string& root, const std::string& wrapper, const std::string& modules) {
  const std::string header = Header("net", "layers") + "targets: {nuke: {" + root + ": \"" + wrapper + "\"}}\n";
  return Folder("models/net", WithVariant(header, "net_a", "Net(3)"), modules, kKeyMap);
}

PluginFolder NetOfImages(const std::string& wrapper, const std::string& modules) {
  const std::string text = WithVariant(Header("net", "layers"), "net_a", "Net(3)");
  return Folder(
      "models/net",
      absl::StrReplaceAll(text, {{"std: [1, 1, 1]}", "std: [1, 1, 1], wrappers: {Net: \"" + wrapper + "\"}}"}}),
      modules, kKeyMap);
}

PluginFolder NetOfSeveralWrappers(const std::string& when) {
  std::string text = absl::StrCat(Header("net", "layers"), R"yaml(targets:
  nuke:
    Net:
      depth: Wrapper(mean, dim)
      normals: {module: "Wrapper(mean, 1)", when: )yaml",
                                  when, "}\n");
  text = WithVariant(text, "net_a", "Net(3, has_normals=1)");
  absl::StrAppend(&text, "  net_b: {summary: s, module: Net(3), file: b.pth, url: u, licence: MIT}\n");
  return Folder("models/net", text, absl::StrReplaceAll(kWrappedNet, {{"Net(dim)", "Net(dim, has_normals=0)"}}),
                kKeyMap);
}

}  // namespace modelport
