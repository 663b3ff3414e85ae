#include "tools/verify/print_verification.h"

#include <sstream>

#include "gtest/gtest.h"

namespace modelport {
namespace {

std::string Printed(const Verification& verification) {
  std::ostringstream out;
  PrintVerification(verification, out);
  return out.str();
}

TEST(PrintVerificationTest, ALineForEachCheck) {
  Verification verification;
  verification.manifest.set_model("dav2_vits");
  verification.manifest.mutable_weights()->add_checkpoints()->set_source("sha256:0a1b");
  verification.passed = {"every byte as Modelport writes it"};
  verification.not_checked = {"weights"};
  EXPECT_EQ(Printed(verification),
            "dav2_vits from sha256:0a1b\n"
            "  reached      code, the last of three: this release makes the same file\n"
            "  passed       every byte as Modelport writes it\n"
            "  not checked  weights\n");
}

// As of an artifact that was copied without the manifest beside it.
TEST(PrintVerificationTest, SaysWhoNamesTheSourceIfTheManifestDoesNot) {
  Verification verification;
  verification.manifest.set_model("m");
  verification.reached = Tier::kFile;
  EXPECT_EQ(Printed(verification),
            "m from a checkpoint, which the manifest that export wrote beside the file names\n"
            "  reached      file, the first of three: it is the one that its manifest is about\n");
}

TEST(PrintVerificationTest, ALineForEachTensorOfTheReference) {
  Verification verification;
  verification.manifest.set_model("m");
  verification.manifest.mutable_weights()->set_seeded("seeded:v1:0");
  ReferenceComparison& reference = verification.reference.emplace();
  reference.tensors = {
      {.name = "output.depth", .shape = {1, 56, 56}, .measures = {.max_abs = 1.25e-6}, .tolerance = 6.6e-6},
      {.name = "output.sky", .shape = {1, 56, 56}, .measures = {.max_abs = 0.5}, .tolerance = 6.6e-6},
      {.name = "blocks.0", .shape = {1, 17, 24}, .obstacle = "wants Float [1, 17, 24], has Float [1, 18, 24]"}};
  reference.unexpected = {"output.aux", "output.ray"};
  EXPECT_EQ(Printed(verification),
            "m from seeded:v1:0\n"
            "  reached      code, the last of three: this release makes the same file\n"
            "  passed       reference output.depth [1, 56, 56]: max diff 1.25e-06, tolerance 6.6e-06\n"
            "  failed       reference output.sky [1, 56, 56]: max diff 0.5, tolerance 6.6e-06\n"
            "  failed       reference blocks.0 [1, 17, 24]: wants Float [1, 17, 24], has Float [1, 18, 24]\n"
            "  not checked  outputs that the reference lacks: output.aux, output.ray\n");
}

}  // namespace
}  // namespace modelport
