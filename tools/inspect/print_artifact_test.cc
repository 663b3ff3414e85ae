#include "tools/inspect/print_artifact.h"

#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Print(const ArtifactDescription& description) {
  std::ostringstream out;
  PrintArtifact(description, out);
  return out.str();
}

TEST(PrintArtifactTest, AFileWithoutAManifestIsItsSizeAndDigest) {
  EXPECT_EQ(Print({.path = "m.pt", .size_bytes = 1500, .sha256 = "0a"}),
            "artifact  m.pt, 1.50 kB\n"
            "sha256    0a\n"
            "manifest  none: Modelport did not write this file, or its manifest was removed; lint describes it\n");
}

TEST(PrintArtifactTest, TheManifestsFactsAreRows) {
  Manifest manifest;
  manifest.mutable_request()->set_model("m");
  manifest.set_title("Model M");
  manifest.mutable_weights()->add_checkpoints()->set_source("sha256:0b");
  manifest.mutable_weights()->mutable_checkpoints(0)->set_published("no");
  manifest.set_weights_licence("CC-BY-NC-4.0");
  manifest.mutable_request()->set_target("nuke");
  manifest.set_minimum_runtime("2.1");
  manifest.add_methods("forward(Tensor x) -> Tensor");
  ArtifactDescription description = {.path = "m.pt", .size_bytes = 1500, .sha256 = "0a"};
  description.within = manifest;
  const std::string text = Print(description);
  for (const char* row :
       {"\nmanifest  in it\n", "\nmodel     m, Model M\n", "\nweights   sha256:0b, not the published file\n",
        "\nlicence   CC-BY-NC-4.0, which does not allow commercial use\n", "\nruns in   LibTorch 2.1 and newer\n",
        "\nloads in  Nuke 15.1 to 16.0, 17.0\n", "\nmethod    forward(Tensor x) -> Tensor\n", "verify proves it.\n"}) {
    EXPECT_THAT(text, HasSubstr(row));
  }
  EXPECT_THAT(text, Not(HasSubstr("checks ")));
  description.beside = manifest;
  EXPECT_THAT(Print(description), HasSubstr("\nmanifest  in it and beside it\n"));
  EXPECT_THAT(Print(description), HasSubstr("\nchecks    "));
}

TEST(PrintArtifactTest, TheFileOfTheWeightsIsNamed) {
  ArtifactDescription description = {.path = "m.onnx", .size_bytes = 1500, .sha256 = "0a"};
  description.beside = Manifest();
  description.beside->mutable_request()->set_model("m");
  EXPECT_THAT(Print(description), Not(HasSubstr("\ndata ")));
  Manifest::DataFile& data = *description.beside->mutable_artifact()->mutable_data();
  data.set_name("m.onnx.data");
  data.set_size_bytes(4.5e9);
  EXPECT_THAT(Print(description), HasSubstr("\ndata      m.onnx.data, 4.50 GB\n"));
}

TEST(PrintArtifactTest, ASignatureIsNamedButNotTrusted) {
  EXPECT_THAT(Print({.path = "m.pt", .size_bytes = 1500, .sha256 = "0a", .signature = "m.sig"}),
              HasSubstr("\nsignature  m.sig, not checked: verify --key=PUBLIC.pem checks whose it is\n"));
}

TEST(PrintArtifactTest, AValueOfTheManifestIsOneLine) {
  ArtifactDescription description = {.path = "m.pt", .size_bytes = 1, .sha256 = "0a"};
  description.within = Manifest();
  description.within->mutable_request()->set_model("m\nchecks    all good");
  EXPECT_THAT(Print(description), Not(HasSubstr("\nchecks ")));
}

}  // namespace
}  // namespace modelport
