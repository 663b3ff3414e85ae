#include "common/manifest/manifest_facts.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(ManifestFactsTest, AnArtifactIsNamedAfterItsModelAndItsWrapper) {
  Manifest manifest;
  manifest.set_model("net");
  EXPECT_EQ(ArtifactName(manifest), "net");
  manifest.set_wrapper("classes");
  EXPECT_EQ(ArtifactName(manifest), "net_classes");
}

TEST(ManifestFactsTest, ArgumentsAreWrittenAsTheyWereSet) {
  Manifest manifest;
  EXPECT_EQ(ArgumentsText(manifest), "");
  for (const char* name : {"a", "b"}) {
    manifest.add_arguments()->set_name(name);
    manifest.mutable_arguments()->rbegin()->set_value("[1, 2]");
  }
  EXPECT_EQ(ArgumentsText(manifest), "a=[1, 2], b=[1, 2]");
}

TEST(ManifestFactsTest, TheMainOutputIsForwardsFirst) {
  Manifest manifest;
  EXPECT_EQ(Forward(manifest).method(), "");
  EXPECT_EQ(MainOutput(manifest).name(), "");
  manifest.add_entry_points()->set_method("features");
  Manifest::EntryPoint& forward = *manifest.add_entry_points();
  forward.set_method("forward");
  EXPECT_EQ(MainOutput(manifest).name(), "");
  forward.add_outputs()->set_name("depth");
  forward.add_outputs()->set_name("sky");
  EXPECT_EQ(Forward(manifest).outputs_size(), 2);
  EXPECT_EQ(MainOutput(manifest).name(), "depth");
}

}  // namespace
}  // namespace modelport
