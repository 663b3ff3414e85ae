#include "artifact/verify/verify_artifact.h"

#include <cmath>
#include <string>
#include <vector>

#include "artifact/build/formats.h"
#include "artifact/manifest/describe_export.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/targets.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Of one output from -3 to 4.
RoundTrip MakeRoundTrip() {
  RoundTrip round_trip;
  round_trip.tensors = 5;
  round_trip.methods = 2;
  round_trip.outputs.emplace_back();
  round_trip.outputs[0].call = "forward([8])";
  round_trip.outputs[0].shape = {8};
  round_trip.outputs[0].largest = 4;
  return round_trip;
}

// What an export may state that measured these differences.
Manifest::RoundTrip Stated(double max_abs, double relative, bool equal_on_same_memory = false) {
  Manifest manifest;
  DescribeProof(MakeRoundTrip(), manifest);
  Manifest::Output& output = *manifest.mutable_round_trip()->mutable_outputs(0);
  output.set_max_abs(max_abs);
  output.set_relative(relative);
  output.set_equal_on_same_memory(equal_on_same_memory);
  return manifest.round_trip();
}

std::vector<std::string> Errors(const Manifest::RoundTrip& stated, const std::string& target = "libtorch") {
  return ProofErrors(FormatOf(**FindTarget(target)), DType::kFloat32, stated, MakeRoundTrip());
}

TEST(ProofErrorsTest, AnotherMachineMayMeasureOtherDifferences) {
  EXPECT_THAT(Errors(Stated(0, 0)), IsEmpty());
  EXPECT_THAT(Errors(Stated(6.9e-6, 9.9e-7)), IsEmpty());
  EXPECT_THAT(Errors(Stated(0.7, 0.1, /*equal_on_same_memory=*/true)), IsEmpty());
}

TEST(ProofErrorsTest, WhatNoExportMeasuresIsRefused) {
  for (const auto& stated :
       {Stated(0, 1e-7), Stated(1e-7, 0), Stated(1e-5, 2e-6), Stated(0.7, 1e-7), Stated(-1e-9, 1e-9),
        Stated(1e-9, -1e-9), Stated(NAN, 1e-9), Stated(1e-9, NAN), Stated(INFINITY, 1e-9),
        Stated(0, 0, /*equal_on_same_memory=*/true), Stated(1e-7, 1e-8, true)}) {
    EXPECT_THAT(Errors(stated), ElementsAre(HasSubstr("outputs[0]: no export measures max_abs")))
        << stated.DebugString();
  }
}

TEST(ProofErrorsTest, AnotherRuntimeMayDifferByMore) {
  EXPECT_THAT(Errors(Stated(7e-3, 1e-3), "onnx"), IsEmpty());
  EXPECT_THAT(Errors(Stated(3e-6, 0.5), "onnx"), IsEmpty());  // A few roundings of the largest element, 4.
  for (const auto& stated : {Stated(7e-2, 1e-2), Stated(1e-7, 0), Stated(0.7, 1e-4, /*equal_on_same_memory=*/true)}) {
    EXPECT_THAT(Errors(stated, "onnx"), ElementsAre(HasSubstr("outputs[0]: no export measures max_abs")))
        << stated.DebugString();
  }
}

TEST(ProofErrorsTest, CountsAndCallsAreTheSame) {
  Manifest::RoundTrip stated = Stated(0, 0);
  stated.set_tensors(6);
  stated.mutable_outputs(0)->set_shape(0, 9);
  EXPECT_THAT(Errors(stated), ElementsAre("tensors: 6 -> 5", "outputs[0].shape[0]: 9 -> 8"));
}

TEST(ProofErrorsTest, AnotherMachineMayHaveFaultyKernels) {
  Manifest::RoundTrip stated = Stated(0, 0);
  stated.set_kernel_fault("aten::conv2d(bfloat16 [1, 8, 3, 2]) gives other outputs for equal inputs");
  EXPECT_THAT(Errors(stated), IsEmpty());
  stated.set_kernel_fault("approved");
  EXPECT_THAT(Errors(stated), ElementsAre("kernel_fault: no export finds approved"));
  stated.set_kernel_fault("aten::conv2d\n gives other outputs for equal inputs");
  EXPECT_THAT(Errors(stated), ElementsAre(HasSubstr("kernel_fault: no export finds aten::conv2d")));
}

TEST(ProofErrorsTest, WithoutAProofThereIsNothingElse) {
  EXPECT_THAT(Errors(Manifest::RoundTrip()), IsEmpty());
  Manifest::RoundTrip stated = Stated(0, 0);
  stated.set_proven(false);
  EXPECT_THAT(Errors(stated), ElementsAre(HasSubstr("proven: false")));
}

}  // namespace
}  // namespace modelport
