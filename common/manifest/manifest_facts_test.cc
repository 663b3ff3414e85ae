#include "common/manifest/manifest_facts.h"

#include <string>

#include "common/manifest/manifest.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(ManifestFactsTest, AnArtifactIsNamedAfterItsModelAndItsWrapper) {
  Manifest manifest;
  manifest.mutable_request()->set_model("net");
  EXPECT_EQ(ArtifactName(manifest), "net");
  manifest.mutable_request()->set_wrapper("classes");
  EXPECT_EQ(ArtifactName(manifest), "net_classes");
  manifest.mutable_request()->set_model("net_class");
  EXPECT_EQ(ArtifactName(manifest), "net_classes");
  manifest.mutable_request()->set_model("class");
  EXPECT_EQ(ArtifactName(manifest), "class_classes");
  manifest.mutable_request()->set_name("labels");
  EXPECT_EQ(ArtifactName(manifest), "labels");
}

TEST(ManifestFactsTest, NamesOfArtifactsAreNamesOfFilesAndOfNodes) {
  for (const char* name : {"a", "Depth_2", "dav2_vits_nuke15_1"}) EXPECT_TRUE(IsArtifactName(name)) << name;
  for (const char* name : {"", "2d", "_a", "a b", "a.b", "../a", "a/b", "a-b", "\xc3\xa4"}) {
    EXPECT_FALSE(IsArtifactName(name)) << name;
  }
  EXPECT_TRUE(IsArtifactName(std::string(64, 'a')));
  EXPECT_FALSE(IsArtifactName(std::string(65, 'a')));
}

TEST(ManifestFactsTest, ArgumentsAreWrittenAsTheyWereSet) {
  Manifest manifest;
  EXPECT_EQ(ArgumentsText(manifest), "");
  for (const char* name : {"a", "b"}) {
    manifest.mutable_request()->add_arguments()->set_name(name);
    manifest.mutable_request()->mutable_arguments()->rbegin()->set_value("[1, 2]");
  }
  EXPECT_EQ(ArgumentsText(manifest), "a=[1, 2], b=[1, 2]");
}

TEST(ManifestFactsTest, TheMainOutputIsForwardsFirst) {
  Manifest manifest;
  EXPECT_EQ(MainEntryPoint(manifest).method(), "");
  EXPECT_EQ(MainOutput(manifest).name(), "");
  manifest.add_entry_points()->set_method("features");
  Manifest::EntryPoint& forward = *manifest.add_entry_points();
  forward.set_method("forward");
  EXPECT_EQ(MainOutput(manifest).name(), "");
  forward.add_outputs()->set_name("depth");
  forward.add_outputs()->set_name("sky");
  EXPECT_EQ(MainEntryPoint(manifest).outputs_size(), 2);
  EXPECT_EQ(MainOutput(manifest).name(), "depth");
  // An ONNX file may hold another method in its place.
  manifest.mutable_request()->set_method("features");
  EXPECT_EQ(MainEntryPoint(manifest).method(), "features");
}

using testing::ElementsAre;
using testing::IsEmpty;

Manifest Make() {
  Manifest manifest;
  manifest.mutable_request()->set_model("tiny");
  manifest.add_methods("forward(Tensor x) -> Tensor");
  manifest.mutable_preprocessing()->add_mean(0.5);
  manifest.mutable_round_trip()->add_outputs()->set_max_abs(1e-8);
  return manifest;
}

TEST(DifferingFieldsTest, EqualManifestsHaveNone) { EXPECT_THAT(DifferingFields(Make(), Make(), {}), IsEmpty()); }

TEST(DifferingFieldsTest, NamesEachFieldWithBothValues) {
  Manifest stated = Make();
  stated.mutable_request()->set_model("other\n");
  stated.mutable_preprocessing()->set_mean(0, 0.25);
  stated.mutable_preprocessing()->add_std(2);
  stated.clear_methods();
  EXPECT_THAT(
      DifferingFields(stated, Make(), {}),
      ElementsAre(R"(request.model: "other\n" -> "tiny")", "preprocessing.mean[0]: 0.25 -> 0.5",
                  "unexpected: preprocessing.std[0]: 2", R"(missing: methods[0]: "forward(Tensor x) -> Tensor")"));
}

TEST(DifferingFieldsTest, ALongValueIsCutOff) {
  Manifest stated = Make();
  stated.mutable_request()->set_model(std::string(10000, 'x'));
  EXPECT_THAT(DifferingFields(stated, Make(), {}), ElementsAre(testing::SizeIs(303)));
}

TEST(DifferingFieldsTest, LeavesOutFields) {
  Manifest stated = Make();
  stated.mutable_round_trip()->mutable_outputs(0)->set_max_abs(1);
  EXPECT_THAT(DifferingFields(stated, Make(), {"modelport.Manifest.Output.max_abs"}), IsEmpty());
  EXPECT_THAT(DifferingFields(stated, Make(), {"modelport.Manifest.round_trip"}), IsEmpty());
  EXPECT_THAT(DifferingFields(stated, Make(), {}), ElementsAre("round_trip.outputs[0].max_abs: 1 -> 1e-08"));
}

}  // namespace
}  // namespace modelport
