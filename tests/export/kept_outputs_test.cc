// Exports without some of the outputs: files, manifests and their verification. What they compute is compared by the
// tests of the families.
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "artifact/export/export_model.h"
#include "artifact/verify/verify_artifact.h"
#include "bench/seeded_file.h"
#include "common/manifest/manifest.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Gives depth, cameras and Gaussians.
std::string Model() { return ExampleModel("views"); }

const Registry& TestRegistry() {
  static const auto* const registry = new Registry(Registry::Load(BuiltInPlugins(), {"models"}).value());
  return *registry;
}

// Exports Model(), or what `change` says, as m.pt in `folder`.
absl::StatusOr<Manifest> Export(
    const std::string& folder, const std::vector<std::string>& outputs,
    const std::function<void(ExportOptions&)>& change = [](ExportOptions&) {}) {
  ExportOptions options;
  options.request.entry = *TestRegistry().Find(Model());
  options.request.outputs = outputs;
  options.out = folder + "/m.pt";
  change(options);
  return ExportModel(TestRegistry(), options);
}

absl::Status Verify(const std::string& folder, const std::vector<std::string>& checkpoints = {}) {
  return VerifyArtifact(TestRegistry(), folder + "/m.pt", checkpoints).status();
}

TEST(KeptOutputsTest, TheManifestListsWhatIsLeftOut) {
  const std::string all = EmptyFolder("all"), some = EmptyFolder("some");
  ASSERT_OK_AND_ASSIGN(const Manifest whole, Export(all, {}));
  ASSERT_OK_AND_ASSIGN(const Manifest manifest, Export(some, {"depth"}));
  EXPECT_FALSE(whole.has_outputs());
  EXPECT_THAT(manifest.request().outputs(), ElementsAre("depth", "aux.feat_layer_{I}"));
  EXPECT_THAT(manifest.outputs().left_out(),
              ElementsAre("depth_conf", "extrinsics", "intrinsics", "gaussians.means", "gaussians.scales",
                          "gaussians.rotations", "gaussians.harmonics", "gaussians.opacities"));
  EXPECT_THAT(manifest.outputs().tensors(),
              AllOf(Contains("cam_dec.fc_t.weight"), Contains("head.scratch.refinenet1_aux.out_conv.weight"),
                    Contains("gs_head.norm.weight").Times(0), Contains("gs_head.projects.0.weight")));
  for (const std::string& slot : manifest.outputs().tensors()) {
    EXPECT_TRUE(absl::StartsWith(slot, "cam_dec.") || absl::StartsWith(slot, "gs_head.") ||
                absl::StrContains(slot, "_aux."))
        << slot;
  }
  EXPECT_EQ(manifest.tensors() + manifest.outputs().tensors_size(), whole.tensors());
  EXPECT_THAT(whole.parameters(), Gt(manifest.parameters()));
  EXPECT_THAT(whole.artifact().size_bytes() - manifest.artifact().size_bytes(),
              Gt(sizeof(float) * (whole.parameters() - manifest.parameters())));
  EXPECT_THAT(manifest.entry_points(0).outputs(), SizeIs(2));
  EXPECT_EQ(manifest.methods_size(), whole.methods_size());
}

TEST(KeptOutputsTest, AllOutputsGiveTheFileOfAnExportWithoutTheFlag) {
  const std::string all = EmptyFolder("all"), listed = EmptyFolder("listed");
  ASSERT_OK(Export(all, {}));
  ASSERT_OK(Export(listed, {"depth", "depth_conf", "extrinsics", "intrinsics", "gaussians.means", "gaussians.scales",
                            "gaussians.rotations", "gaussians.harmonics", "gaussians.opacities"}));
  EXPECT_TRUE(ReadFile(all + "/m.pt") == ReadFile(listed + "/m.pt"));
}

TEST(KeptOutputsTest, VerifyMakesTheSameArtifactAnew) {
  const std::string folder = EmptyFolder("verify");
  ASSERT_OK_AND_ASSIGN(const Manifest manifest, Export(folder, {"depth"}));
  EXPECT_OK(Verify(folder));
  const std::function<void(Manifest&)> alterations[] = {
      [](Manifest& altered) { altered.mutable_request()->add_outputs("depth_conf"); },
      [](Manifest& altered) { altered.mutable_request()->add_outputs("dep\nth"); },
      [](Manifest& altered) { altered.mutable_request()->mutable_outputs()->RemoveLast(); },
      [](Manifest& altered) { altered.mutable_request()->clear_outputs(); },
      [](Manifest& altered) { altered.mutable_outputs()->mutable_left_out()->RemoveLast(); },
      [](Manifest& altered) { altered.mutable_outputs()->mutable_tensors()->RemoveLast(); },
      [](Manifest& altered) { altered.mutable_outputs()->set_tensors(0, "patch_embed"); },
  };
  for (const auto& alter : alterations) {
    Manifest altered = manifest;
    alter(altered);
    std::ofstream(folder + "/m.manifest.json") << *WriteManifest(altered);
    EXPECT_EQ(Verify(folder).code(), absl::StatusCode::kDataLoss);
  }
  fs::remove(folder + "/m.manifest.json");
  EXPECT_OK(Verify(folder));
}

// The names of a checkpoint's keys tell more than those that are read whether it is the right one.
TEST(KeptOutputsTest, ACheckpointHasToHoldWhatIsLeftOut) {
  const std::string folder = EmptyFolder("checkpoints"), whole = folder + "/whole.safetensors";
  const CatalogEntry entry = *TestRegistry().Find(Model());
  ASSERT_OK(WriteSeededSafetensors(entry, whole));
  const auto from = [](const std::string& path) {
    return [path](ExportOptions& options) { options.request.weights = CheckpointFiles{{path}}; };
  };
  ASSERT_OK(Export(folder, {"depth"}, from(whole)));
  EXPECT_OK(Verify(folder, {whole}));
  EXPECT_OK(Verify(folder));

  const std::string lacking = folder + "/lacking.safetensors";
  ASSERT_OK(WriteSeededSafetensors(entry, lacking, "model.cam_dec.fc_t.weight"));
  EXPECT_THAT(Export(folder, {"depth"}, from(lacking)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("cam_dec.fc_t.weight")));
}

TEST(KeptOutputsTest, WrappersThatNeedOnlyWhatIsKeptAreMadeAroundIt) {
  const std::string nuke = EmptyFolder("nuke"), images = EmptyFolder("images");
  ASSERT_OK_AND_ASSIGN(const Manifest for_nuke, Export(nuke, {"depth"}, [](ExportOptions& options) {
                         options.request.target = *FindTarget("nuke");
                       }));
  EXPECT_THAT(for_nuke.outputs().left_out(), Contains("extrinsics"));
  EXPECT_OK(Verify(nuke));
  ASSERT_OK_AND_ASSIGN(const Manifest of_images, Export(images, {"depth"}, [](ExportOptions& options) {
                         options.request.with_preprocess = true;
                       }));
  ASSERT_THAT(of_images.entry_points(0).outputs(), SizeIs(1));
  EXPECT_EQ(of_images.entry_points(0).outputs(0).name(), "depth");
  EXPECT_OK(Verify(images));
}

TEST(KeptOutputsTest, WhatCannotBeLeftOutIsAnErrorAndWritesNothing) {
  const std::string folder = EmptyFolder("errors");
  EXPECT_THAT(Export(folder, {"dept"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--outputs=dept: " + Model() + ": forward has no output \"dept\"; nearest: depth")));
  EXPECT_THAT(Export(folder, {"depth_conf"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("depth cannot be left out")));
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

}  // namespace
}  // namespace modelport
