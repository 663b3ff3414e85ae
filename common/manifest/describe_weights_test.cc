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

}  // namespace
}  // namespace modelport
