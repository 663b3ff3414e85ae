// da3mono_large and da3metric_large are one network with different weights: either file fits both.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "artifact/export/export_model.h"
#include "bench/seeded_file.h"
#include "common/digest/sha256.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/recognise/find_checkpoint.h"
#include "registry/registry.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

// The published variant `name`, as small as tiny_mono.
Variant Shrunk(const Registry& registry, const std::string& name) {
  Variant variant = *registry.Find(name)->variant;
  variant.module = registry.Find("tiny_mono")->variant->module;
  return variant;
}

// Writes a checkpoint below `folder`, at the path where an export looks for `variant`; `last_byte` makes its weights
// unique.
std::string WriteCheckpoint(const CatalogEntry& entry, const std::string& folder, char last_byte) {
  const fs::path path = fs::path(folder) / entry.variant->files[0].name;
  fs::create_directories(path.parent_path());
  EXPECT_THAT(WriteSeededSafetensors(entry, path), IsOk());
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end).put(last_byte);
  return path;
}

std::string Digest(const std::string& path) { return Sha256Of(ReadFile(path)); }

TEST(Da3OwnFileTest, MonoAndMetricEachReadTheirOwnFile) {
  setenv("HF_HUB_CACHE", EmptyFolder("hub").c_str(), 1);
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  const std::string folder = EmptyFolder("checkpoints");
  const Variant mono = Shrunk(registry, "da3mono_large"), metric = Shrunk(registry, "da3metric_large");
  const Plugin* plugin = registry.Find("da3mono_large")->plugin;
  const std::string mono_file = WriteCheckpoint({plugin, &mono}, folder, 0x3e);
  const std::string metric_file = WriteCheckpoint({plugin, &metric}, folder, 0x3d);
  ASSERT_NE(Digest(mono_file), Digest(metric_file));

  for (const auto& [variant, file] : {std::pair(&mono, mono_file), std::pair(&metric, metric_file)}) {
    ExportOptions options;
    options.request.entry = {plugin, variant};
    options.request.weights = CheckpointFiles{{FindCheckpoint(variant->files[0], folder, /*plugin=*/"")}};
    options.out = absl::StrCat(folder, "/", variant->name, ".pt");
    ASSERT_OK_AND_ASSIGN(const Manifest manifest, ExportModel(registry, options));
    EXPECT_EQ(manifest.weights().checkpoints(0).source(), absl::StrCat("sha256:", Digest(file)));
  }
}

}  // namespace
}  // namespace modelport
