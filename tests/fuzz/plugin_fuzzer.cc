// The YAML files of a plugin. Each input is read as plugin.yaml, as keymap.yaml and as modules.yaml.
#include "common/keymap/key_map.h"
#include "common/module_tree/module_library.h"
#include "registry/parse_plugin.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(modelport::FuzzText(data, size));
  modelport::FuzzCheckFileError(modelport::ParsePlugin({"m/plugin.yaml", text}).status());
  modelport::FuzzCheckFileError(modelport::ParseKeyMap({"m/keymap.yaml", text}).status());
  modelport::ModuleLibrary library;
  modelport::FuzzCheckFileError(library.AddFile({"m/modules.yaml", text}));
  return 0;
}
