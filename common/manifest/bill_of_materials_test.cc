#include "common/manifest/bill_of_materials.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/ascii.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using nlohmann::json;
using testing::ElementsAre;

std::string Digest(char digit) { return std::string(64, digit); }

Manifest Small() {
  Manifest manifest;
  manifest.mutable_request()->set_model("tiny");
  manifest.set_family("toy");
  Manifest::Checkpoint& checkpoint = *manifest.mutable_weights()->add_checkpoints();
  checkpoint.set_source("sha256:" + Digest('a'));
  checkpoint.set_layout("original");
  checkpoint.set_published("yes");
  manifest.set_weights_licence("CC-BY-NC-4.0");
  manifest.set_weights_url("https://example.org/tiny.pth");
  manifest.set_plugin_sha256(Digest('b'));
  manifest.mutable_upstream()->set_source("https://example.org/toy");
  manifest.mutable_upstream()->set_commit("0a1b2c3");
  manifest.mutable_round_trip()->set_proven(true);
  manifest.mutable_round_trip()->set_tensors(3);
  return manifest;
}

json Parsed(const Manifest& manifest) { return json::parse(BillOfMaterials(manifest, Digest('c'))); }

std::string Property(const json& component, const std::string& name) {
  for (const json& property : component["properties"]) {
    if (property["name"] == "modelport:" + name) return property["value"];
  }
  return "";
}

TEST(BillOfMaterialsTest, NamesTheArtifactAndWhatItWasMadeFrom) {
  const json bom = Parsed(Small()), artifact = bom["metadata"]["component"], weights = bom["components"][0];
  EXPECT_EQ(bom["specVersion"], "1.5");
  EXPECT_EQ(artifact["name"], "tiny");
  EXPECT_EQ(artifact["hashes"][0]["content"], Digest('c'));
  EXPECT_EQ(artifact["licenses"][0]["expression"], "CC-BY-NC-4.0");
  EXPECT_EQ(Property(artifact, "proof").substr(0, 23), "3 tensors bitwise equal");
  EXPECT_EQ(weights["hashes"][0]["content"], Digest('a'));
  EXPECT_EQ(Property(weights, "layout"), "original");
  EXPECT_EQ(weights["externalReferences"][0]["url"], "https://example.org/tiny.pth");
  EXPECT_EQ(bom["components"][1]["hashes"][0]["content"], Digest('b'));
  EXPECT_EQ(bom["components"][2]["version"], "0a1b2c3");
  EXPECT_THAT(bom["dependencies"][0]["dependsOn"], ElementsAre("weights", "plugin", "upstream"));
}

TEST(BillOfMaterialsTest, HasEachOfSeveralFiles) {
  Manifest manifest = Small();
  manifest.clear_weights();
  for (const char* name : {"net.pth", "head.pth"}) {
    Manifest::Checkpoint& file = *manifest.mutable_weights()->add_checkpoints();
    file.set_part("part");
    file.set_file(name);
    file.set_published("yes, by the first 8 digits of its sha256");
    file.set_source("sha256:" + Digest(name[0] == 'n' ? '1' : '2'));
  }
  manifest.set_weights_url("https://example.org/head.pth, https://example.org/net.pth");
  const json bom = Parsed(manifest);
  EXPECT_EQ(bom["components"][0]["name"], "net.pth");
  EXPECT_EQ(bom["components"][0]["externalReferences"].size(), 1);
  EXPECT_EQ(bom["components"][0]["externalReferences"][0]["url"], "https://example.org/net.pth");
  EXPECT_EQ(bom["components"][1]["hashes"][0]["content"], Digest('2'));
  EXPECT_THAT(bom["dependencies"][0]["dependsOn"], ElementsAre("weights:0", "weights:1", "plugin", "upstream"));
}

// The licence of a file that somebody else trained is not known, nor that of one that nobody compared.
TEST(BillOfMaterialsTest, OtherWeightsHaveNeitherLicenceNorPlaceOfThePublishedOnes) {
  for (const char* published : {"no", ""}) {
    Manifest manifest = Small();
    manifest.mutable_weights()->mutable_checkpoints(0)->set_published(published);
    const json bom = Parsed(manifest), artifact = bom["metadata"]["component"], weights = bom["components"][0];
    for (const json& component : {artifact, weights}) {
      EXPECT_FALSE(component.contains("licenses"));
      EXPECT_FALSE(component.contains("externalReferences"));
      EXPECT_EQ(Property(component, "licence_of_published_weights"), "CC-BY-NC-4.0");
    }
    EXPECT_EQ(Property(weights, "published"), published);
  }
}

TEST(BillOfMaterialsTest, SeededWeightsHaveNoDigest) {
  Manifest manifest = Small();
  manifest.clear_weights();
  manifest.mutable_weights()->set_seeded("seeded:v1:0");
  const json weights = Parsed(manifest)["components"][0];
  for (const char* field : {"hashes", "licenses", "externalReferences"}) EXPECT_FALSE(weights.contains(field));
  EXPECT_EQ(Property(weights, "source"), "seeded:v1:0");
}

TEST(BillOfMaterialsTest, WhatAHostileManifestSaysIsText) {
  Manifest manifest = Small();
  manifest.mutable_request()->set_model("\x1b[2J\"},{\xe2\x80\xae\n");
  manifest.mutable_weights()->mutable_checkpoints(0)->set_source("sha256:../..");
  const std::string text = BillOfMaterials(manifest, "no digest");
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isprint(c) || c == '\n'; }));
  const json bom = json::parse(text);
  EXPECT_EQ(bom["metadata"]["component"]["name"], manifest.request().model());
  EXPECT_FALSE(bom["metadata"]["component"].contains("hashes"));
  EXPECT_FALSE(bom["components"][0].contains("hashes"));
}

}  // namespace
}  // namespace modelport
