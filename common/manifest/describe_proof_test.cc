#include "common/manifest/describe_proof.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

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
  EXPECT_EQ(DescribeProof(Proof()), "247 tensors bitwise equal, 103 methods equal, 1 outputs bitwise equal");
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

}  // namespace
}  // namespace modelport
