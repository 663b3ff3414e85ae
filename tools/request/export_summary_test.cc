#include "tools/request/export_summary.h"

#include <string>

#include "gtest/gtest.h"

namespace modelport {
namespace {

// The manifest of an export in which nothing is out of the ordinary.
Manifest PlainManifest() {
  Manifest manifest;
  manifest.mutable_request()->set_model("dav2_vits");
  manifest.mutable_request()->set_target("libtorch");
  Manifest::Checkpoint& checkpoint = *manifest.mutable_weights()->add_checkpoints();
  checkpoint.set_source("sha256:0a1b");
  checkpoint.set_layout("original");
  manifest.mutable_request()->set_dtype("float32");
  manifest.set_tensors(247);
  manifest.set_parameters(24800000);
  manifest.mutable_artifact()->set_size_bytes(99200000);
  manifest.set_minimum_runtime("2.1");
  Manifest::RoundTrip& proof = *manifest.mutable_round_trip();
  proof.set_proven(true);
  proof.set_tensors(247);
  proof.set_methods(103);
  proof.add_outputs()->set_call("forward([1, 3, 28, 28])");
  return manifest;
}

std::string Summary(const Manifest& manifest) { return ExportSummary(manifest, "m.pt", absl::Milliseconds(3700)); }

TEST(ExportSummaryTest, APlainExportHasARowForEachFact) {
  EXPECT_EQ(Summary(PlainManifest()),
            "model       dav2_vits\n"
            "target      libtorch\n"
            "source      sha256:0a1b\n"
            "layout      original\n"
            "tensors     247 float32\n"
            "parameters  24.8 M\n"
            "artifact    m.pt, 99.2 MB\n"
            "runs in     LibTorch 2.1 and newer\n"
            "checks      247 tensors bitwise equal, 103 methods equal, 1 output bitwise equal\n"
            "time        3.70 s\n");
}

TEST(ExportSummaryTest, WhatIsOutOfTheOrdinaryHasARowOfItsOwn) {
  Manifest manifest = PlainManifest();
  Manifest::Weights& weights = *manifest.mutable_weights();
  Manifest::Checkpoint& checkpoint = *weights.mutable_checkpoints(0);
  manifest.mutable_request()->set_runtime("1.12");
  checkpoint.set_state_dict("teacher");
  checkpoint.add_config_not_compared("rope_theta");
  manifest.mutable_request()->add_arguments()->set_name("max_depth");
  manifest.mutable_request()->mutable_arguments(0)->set_value("35.0");
  Manifest::LeftOut& left_out = *checkpoint.add_left_out();
  left_out.set_path("student");
  left_out.set_tensors(174);
  Manifest::Conversion& converted = *weights.add_converted();
  converted.set_from("float64");
  converted.set_tensors(63);
  converted.set_became_zero(1);
  converted.set_became_subnormal(19);
  Manifest::OldName& old = *checkpoint.add_old_names();
  old.set_from("layer1.{rest*}");
  old.set_to("stages.0.{rest*}");
  old.set_tensors(12);
  Manifest::Allowance& zeros = *weights.add_zero_filled();
  zeros.set_key("mask_token");
  zeros.set_reason("used with masks only");
  checkpoint.add_unused();
  Manifest::RoundTrip& proof = *manifest.mutable_round_trip();
  proof.mutable_outputs(0)->set_relative(6e-7);
  proof.mutable_outputs(0)->set_nan(2);
  Manifest::Output& magnified = *proof.add_outputs();
  magnified.set_relative(1e-2);
  magnified.set_equal_on_same_memory(true);
  proof.set_kernel_fault("aten::conv2d(bfloat16) gives other outputs for equal inputs");
  EXPECT_EQ(
      Summary(manifest),
      "model         dav2_vits\n"
      "set           max_depth=35.0\n"
      "target        libtorch\n"
      "made for      LibTorch 1.12\n"
      "source        sha256:0a1b\n"
      "layout        original\n"
      "state dict    dictionary teacher; left out: student (174 tensors)\n"
      "config.json   not compared, since the plugin does not know them: rope_theta\n"
      "tensors       247 float32\n"
      "changed       63 from float64 (1 value became 0, 19 subnormal); mask_token zeros: used with masks only; 12 "
      "keys of old names: layer1.{rest*} is now stages.0.{rest*}; 1 keys unused (see the manifest)\n"
      "parameters    24.8 M\n"
      "artifact      m.pt, 99.2 MB\n"
      "runs in       LibTorch 2.1 and newer\n"
      "checks        247 tensors bitwise equal, 103 methods equal, 2 outputs equal within 6e-07 of their range, 1 "
      "of them only on the same memory, without oneDNN\n"
      "not finite    forward([1, 3, 28, 28]) 2 NaN, 0 infinite\n"
      "this machine  aten::conv2d(bfloat16) gives other outputs for equal inputs\n"
      "time          3.70 s\n");
}

TEST(ExportSummaryTest, SlotsThatOneOperationChangedAreOneItem) {
  Manifest manifest = PlainManifest();
  for (const char* const slot : {"a", "b", "c", "d", "e", "f", "pos_embed"}) {
    Manifest::Changed& changed = *manifest.mutable_weights()->add_changed();
    changed.set_slot(slot);
    changed.set_operation(std::string(slot) == "pos_embed" ? "resample_bicubic(1, 1, 3, 3)" : "add_convolutions(2)");
    changed.set_reason("one way");
  }
  EXPECT_NE(Summary(manifest).find("changed     a, b, c, d, e, +1 more by add_convolutions(2): one way; pos_embed by "
                                   "resample_bicubic(1, 1, 3, 3): one way\n"),
            std::string::npos);
}

TEST(ExportSummaryTest, SeededWeightsAreCalledSo) {
  Manifest manifest = PlainManifest();
  manifest.set_warning("SEEDED weights: predicts nothing");
  manifest.clear_weights();
  manifest.mutable_weights()->set_seeded("seeded:v1:0");
  EXPECT_NE(Summary(manifest).find("source      SEEDED weights: predicts nothing (seeded:v1:0)\n"
                                   "layout      original\n"),
            std::string::npos);
}

TEST(ExportSummaryTest, WithoutAProofItSaysSo) {
  Manifest manifest = PlainManifest();
  manifest.clear_round_trip();
  EXPECT_NE(Summary(manifest).find("checks      none (--noverify)\n"), std::string::npos);
}

}  // namespace
}  // namespace modelport
