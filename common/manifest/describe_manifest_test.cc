#include "common/manifest/describe_manifest.h"

#include "common/manifest/manifest_facts.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(DescribeWeightsTest, OneSource) {
  Manifest manifest;
  manifest.mutable_weights()->set_seeded("seeded:v1:3");
  EXPECT_EQ(WeightsSource(manifest), "seeded:v1:3");
  EXPECT_EQ(WeightsLayout(manifest), "original");
  manifest.clear_weights();
  EXPECT_EQ(WeightsSource(manifest), "");
  EXPECT_EQ(WeightsSourceText(manifest), "a checkpoint, which the manifest that export wrote beside the file names");
  Manifest::Checkpoint& checkpoint = *manifest.mutable_weights()->add_checkpoints();
  checkpoint.set_source("sha256:0a");
  checkpoint.set_layout("timm");
  EXPECT_EQ(WeightsSource(manifest), "sha256:0a");
  EXPECT_EQ(WeightsLayout(manifest), "timm");
}

TEST(DescribeWeightsTest, SeveralFilesAreNamedByTheirParts) {
  Manifest manifest;
  for (const char* part : {"net", "head"}) {
    Manifest::Checkpoint& file = *manifest.mutable_weights()->add_checkpoints();
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
  Manifest::Checkpoint& whole = *manifest.mutable_weights()->add_checkpoints();
  whole.set_published("yes");
  EXPECT_EQ(WeightsOrigin(manifest), "the published file");
  EXPECT_EQ(HasPublishedWeights(manifest), Published::kYes);
  whole.set_published("no");
  EXPECT_EQ(WeightsOrigin(manifest), "not the published file");
  EXPECT_EQ(HasPublishedWeights(manifest), Published::kNo);
  manifest.clear_weights();
  for (const char* published : {"yes", "", "no"}) {
    Manifest::Checkpoint& file = *manifest.mutable_weights()->add_checkpoints();
    file.set_part(std::string("part") + published);
    file.set_published(published);
  }
  EXPECT_EQ(WeightsOrigin(manifest), "partyes the published file, partno not the published file");
  EXPECT_EQ(HasPublishedWeights(manifest), Published::kNo);
  manifest.mutable_weights()->mutable_checkpoints()->RemoveLast();
  EXPECT_EQ(HasPublishedWeights(manifest), Published::kUnknown);
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

std::string OptionOf(const Manifest& manifest, const std::string& name) {
  for (const auto& [known, value] : RequestedOptions(manifest)) {
    if (known == name) return value;
  }
  return "";
}

TEST(RequestedOptionsTest, AreThoseThatWereAskedFor) {
  Manifest manifest;
  EXPECT_THAT(RequestedOptions(manifest), IsEmpty());
  manifest.mutable_request()->set_target("onnx");
  EXPECT_THAT(RequestedOptions(manifest), ElementsAre(Pair("target", "onnx")));
  Manifest::Argument& argument = *manifest.mutable_request()->add_arguments();
  argument.set_name("max_depth");
  argument.set_value("35.0");
  manifest.mutable_request()->set_wrapper("normals");
  manifest.mutable_request()->set_method("encode");
  manifest.mutable_request()->set_runtime("1.12");
  manifest.mutable_request()->set_with_preprocess(true);
  for (const char* letter : {"H", "W"}) {
    Manifest::Size& size = *manifest.mutable_request()->add_sizes();
    size.set_letter(letter);
    size.set_size(518);
  }
  Manifest::KnobValue& knob = *manifest.mutable_request()->add_knobs();
  knob.set_name("scale");
  knob.set_value(0.5);
  EXPECT_THAT(RequestedOptions(manifest),
              ElementsAre(Pair("set", "max_depth=35.0"), Pair("target", "onnx"), Pair("wrapper", "normals"),
                          Pair("images", "prepared within"), Pair("method", "encode"), Pair("sizes", "H=518, W=518"),
                          Pair("knobs", "scale=0.5"), Pair("made for", "LibTorch 1.12")));
}

TEST(RequestTextsTest, HaveAllThatWasAskedFor) {
  Manifest manifest;
  Manifest::Request& request = *manifest.mutable_request();
  request.set_model("tiny_depth");
  request.set_target("onnx");
  request.set_dtype("float16");
  request.set_opset(17);
  request.set_external_data(true);
  request.set_name("near_depth");
  request.set_licence_text("abc");
  EXPECT_THAT(
      RequestTexts(manifest),
      ElementsAre(Pair("model", "tiny_depth"), Pair("target", "onnx"), Pair("dtype", "float16"), Pair("opset", "17"),
                  Pair("external data", "true"), Pair("name", "near_depth"), Pair("licence text", "abc")));
  EXPECT_THAT(RequestedOptions(manifest), ElementsAre(Pair("target", "onnx")));
}

TEST(RequestedOptionsTest, WhatIsLeftOut) {
  Manifest manifest;
  Manifest::Outputs& outputs = *manifest.mutable_outputs();
  EXPECT_EQ(OptionOf(manifest, "left out"), "");
  outputs.add_left_out("normal");
  EXPECT_EQ(OptionOf(manifest, "left out"), "normal");
  outputs.add_tensors("head.weight");
  EXPECT_EQ(OptionOf(manifest, "left out"), "normal and 1 tensor that only it needs");
  outputs.add_left_out("pose");
  outputs.add_tensors("head.bias");
  EXPECT_EQ(OptionOf(manifest, "left out"), "normal, pose and 2 tensors that only they need");
}

Manifest::RoundTrip Proof() {
  Manifest::RoundTrip proof;
  proof.set_proven(true);
  proof.set_tensors(247);
  proof.set_methods(103);
  proof.add_outputs();
  return proof;
}

TEST(DescribeProofTest, EqualOutputsAreBitwiseEqual) {
  EXPECT_EQ(LargestDifference(Proof()), 0);
  EXPECT_EQ(DescribeProof(Proof()), "247 tensors bitwise equal, 103 methods equal, 1 output bitwise equal");
}

TEST(DescribeProofTest, TheLargestDifferenceLeavesOutThoseOfOtherMemory) {
  Manifest::RoundTrip proof = Proof();
  proof.add_outputs()->set_relative(6e-7);
  Manifest::Output& magnified = *proof.add_outputs();
  magnified.set_relative(1e-2);
  magnified.set_equal_on_same_memory(true);
  proof.set_kernel_fault("aten::conv2d(bfloat16) gives other outputs for equal inputs");
  EXPECT_EQ(LargestDifference(proof), 6e-7);
  EXPECT_EQ(DescribeProof(proof),
            "247 tensors bitwise equal, 103 methods equal, 3 outputs equal within 6e-07 of their "
            "range, 1 of them only on the same memory, without oneDNN");
}

TEST(DescribeProofTest, SaysThatThereIsNone) { EXPECT_EQ(DescribeProof({}), "none (--noverify)"); }

TEST(EntryPointTextTest, AnImageHasItsShapeValuesAndSize) {
  Manifest::Input input;
  input.set_name("x");
  input.set_type("Tensor");
  for (const char* size : {"B", "3", "H", "W"}) input.add_shape(size);
  input.set_dtype("float32");
  input.set_normalised(true);
  input.set_multiple_of(14);
  input.set_resize("shorter_side");
  input.set_recommended_size(518);
  EXPECT_EQ(InputText(input),
            "Tensor [B, 3, H, W], float32, normalised, sides multiples of 14, best with a shorter side of 518");
  input.set_resize("");
  EXPECT_THAT(InputText(input), testing::EndsWith(", best stretched to a longer side of 518"));
  input.set_normalised(false);
  input.set_min(0);
  input.set_max(1);
  input.set_multiple_of(1);
  input.set_recommended_size(0);
  input.set_help("the plate");
  EXPECT_EQ(InputText(input), "Tensor [B, 3, H, W], float32, 0 to 1, any size: the plate");
  input.set_shape(2, "518");
  input.set_shape(3, "924");
  EXPECT_EQ(InputText(input), "Tensor [B, 3, 518, 924], float32, 0 to 1: the plate");
}

TEST(EntryPointTextTest, AnOutputHasItsUnitDirectionAndRange) {
  Manifest::Result output;
  output.set_dtype("float32");
  EXPECT_EQ(OutputText(output), "[], float32");
  for (const char* size : {"B", "H", "W"}) output.add_shape(size);
  output.set_unit("metres");
  output.set_larger_is("farther");
  output.set_min(0);
  output.set_only_with("infer_gs");
  EXPECT_EQ(OutputText(output), "[B, H, W], float32, metres, larger is farther, at least 0, only with infer_gs");
}

TEST(EntryPointTextTest, AValueThatIsNoTensorHasItsHelp) {
  Manifest::Result output;
  output.set_help("the names of the classes");
  EXPECT_EQ(OutputText(output), "the names of the classes");
}

TEST(EntryPointTextTest, OtherMethodsAreInternal) {
  Manifest manifest;
  manifest.add_methods("forward(Tensor x, int size=518) -> Tensor");
  manifest.add_methods("helper(Tensor x) -> Tensor");
  EXPECT_EQ(InternalMethods(manifest), 0);
  EXPECT_EQ(MainOutput(manifest).name(), "");
  Manifest::EntryPoint& forward = *manifest.add_entry_points();
  forward.set_method("forward");
  forward.set_returns("Tensor");
  forward.add_inputs()->set_name("x");
  Manifest::Input& size = *forward.add_inputs();
  size.set_name("size");
  size.set_default_value("518");
  forward.add_outputs()->set_name("depth");
  EXPECT_EQ(InternalMethods(manifest), 1);
  EXPECT_EQ(EntryPointSignature(forward), "forward(x, size=518) -> Tensor");
  EXPECT_EQ(MainOutput(manifest).name(), "depth");
}

}  // namespace

}  // namespace modelport
