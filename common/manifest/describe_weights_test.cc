#include "common/manifest/describe_weights.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(DescribeWeightsTest, OneSource) {
  Manifest manifest;
  manifest.set_source("seeded:v1:3");
  manifest.set_layout("original");
  EXPECT_EQ(WeightsSource(manifest), "seeded:v1:3");
  EXPECT_EQ(WeightsLayout(manifest), "original");
}

TEST(DescribeWeightsTest, SeveralFilesAreNamedByTheirParts) {
  Manifest manifest;
  for (const char* part : {"net", "head"}) {
    Manifest::Checkpoint& file = *manifest.mutable_checkpoints()->add_files();
    file.set_part(part);
    file.set_source(std::string("sha256:") + part[0]);
    file.set_layout(part[0] == 'n' ? "timm" : "original");
  }
  EXPECT_EQ(WeightsSource(manifest), "net sha256:n, head sha256:h");
  EXPECT_EQ(WeightsLayout(manifest), "net timm, head original");
}

TEST(DescribeWeightsTest, TheOriginIsThatOfEachFileWhoseDigestIsKnown) {
  Manifest manifest;
  EXPECT_EQ(WeightsOrigin(manifest), "");
  manifest.set_published("yes");
  EXPECT_EQ(WeightsOrigin(manifest), "the published file");
  manifest.set_published("no");
  EXPECT_EQ(WeightsOrigin(manifest), "not the published file");
  for (const char* published : {"yes", "", "no"}) {
    Manifest::Checkpoint& file = *manifest.mutable_checkpoints()->add_files();
    file.set_part(std::string("part") + published);
    file.set_published(published);
  }
  EXPECT_EQ(WeightsOrigin(manifest), "partyes the published file, partno not the published file");
}

TEST(DescribeWeightsTest, LicencesWithNCExcludeCommercialUse) {
  Manifest manifest;
  EXPECT_FALSE(ExcludesCommercialUse(manifest));
  for (const char* licence : {"Apache-2.0", "MIT AND CC-BY-4.0", "NCSA"}) {
    manifest.set_weights_licence(licence);
    EXPECT_FALSE(ExcludesCommercialUse(manifest)) << licence;
  }
  for (const char* licence : {"CC-BY-NC-4.0", "Apache-2.0 AND CC-BY-NC-SA-4.0"}) {
    manifest.set_weights_licence(licence);
    EXPECT_TRUE(ExcludesCommercialUse(manifest)) << licence;
  }
}

TEST(DescribeWeightsTest, WhatIsLeftOutByRequest) {
  Manifest manifest;
  EXPECT_EQ(LeftOutByRequest(manifest), "");
  Manifest::Outputs& outputs = *manifest.mutable_outputs();
  outputs.add_kept("depth");
  outputs.add_left_out("normal");
  EXPECT_EQ(LeftOutByRequest(manifest), "normal");
  outputs.add_tensors("head.weight");
  EXPECT_EQ(LeftOutByRequest(manifest), "normal and 1 tensor that only it needs");
  outputs.add_left_out("pose");
  outputs.add_tensors("head.bias");
  EXPECT_EQ(LeftOutByRequest(manifest), "normal, pose and 2 tensors that only they need");
}

}  // namespace
}  // namespace modelport
