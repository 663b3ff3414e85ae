#include "common/checkpoint/numpy_array.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/pickle/budget.h"
#include "common/checkpoint/pickle/machine.h"
#include "common/checkpoint/readers.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ArrayBytes(const std::string& bytes) {
  return absl::StrCat("C", std::string(1, static_cast<char>(bytes.size())), bytes);
}

std::string ArrayText(const std::string& text) {
  return PickleCall(PickleGlobal("_codecs", "encode"), {PickleString(text), PickleString("latin1")});
}

std::string ArrayDType(const std::string& code, const std::string& order = "<") {
  return PickleCall(PickleGlobal("numpy", "dtype"), {PickleString(code)}) +
         PickleTuple({PickleInt(3), PickleString(order)}) + "b";
}

// As NumPy pickles an array up to protocol 4.
std::string Array(const std::vector<int32_t>& shape, const std::string& dtype, const std::string& bytes,
                  bool is_column_major = false) {
  return PickleCall(PickleGlobal("numpy.core.multiarray", "_reconstruct"),
                    {PickleGlobal("numpy", "ndarray"), PickleInts({0}), PickleString("b")}) +
         PickleTuple({PickleInt(1), PickleInts(shape), dtype, is_column_major ? "\x88" : "\x89", bytes}) + "b";
}

// The file of one array called w, read.
absl::StatusOr<CheckpointContents> ReadOne(const std::string& array) {
  static std::string file;  // The contents borrow from it.
  file = Pickled(PickleDict({{PickleString("w"), array}}));
  return ReadTorchLegacy(file);
}

TEST(NumpyArrayTest, ADictionaryOfArraysIsAStateDict) {
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents,
                       ReadOne(Array({2, 3}, ArrayDType("i2"), ArrayBytes("abcdefghijkl"))));
  EXPECT_EQ(contents.format, "pickle");
  ASSERT_EQ(contents.state_dicts.size(), 1);
  const CheckpointTensor& tensor = contents.state_dicts[0].tensors.at(0);
  EXPECT_EQ(tensor.key, "w");
  EXPECT_EQ(tensor.dtype, DType::kInt16);
  EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
  EXPECT_THAT(tensor.strides, ElementsAre(3, 1));
  EXPECT_EQ(contents.storages.at(tensor.storage).bytes, "abcdefghijkl");
}

TEST(NumpyArrayTest, OneWhoseFirstIndexRunsFastestHasTheStridesOfThat) {
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents,
                       ReadOne(Array({2, 3}, ArrayDType("i1"), ArrayBytes("abcdef"), /*is_column_major=*/true)));
  EXPECT_THAT(contents.state_dicts[0].tensors[0].strides, ElementsAre(1, 2));
}

// Pickles of protocol 2 have no bytes.
TEST(NumpyArrayTest, BytesThatAreATextAreDecoded) {
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents,
                       ReadOne(Array({4}, ArrayDType("u1", "|"), ArrayText("a\xc2\x80\xc3\xbf\x7f"))));
  EXPECT_EQ(contents.storages.at(0).bytes, "a\x80\xff\x7f");
  for (const char* text : {"a\xc4\x80", "\xc2", "\xe2\x82\xac", "\xc2z"}) {
    EXPECT_THAT(ReadOne(Array({1}, ArrayDType("u1"), ArrayText(text))),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("w: its bytes are a text, and the one at ")));
  }
}

TEST(NumpyArrayTest, AnArrayHasAsManyBytesAsItsShapeWants) {
  EXPECT_THAT(ReadOne(Array({3}, ArrayDType("f4"), ArrayBytes("12345678"))),
              StatusIs(absl::StatusCode::kDataLoss, "w: an array of 3 elements of float32 that has 8 bytes"));
  EXPECT_THAT(ReadOne(Array({-1}, ArrayDType("f4"), ArrayBytes("1234"))),
              StatusIs(absl::StatusCode::kDataLoss, "w: an array of a shape that cannot be"));
  EXPECT_THAT(ReadOne(Array({1 << 30, 1 << 30, 1 << 3}, ArrayDType("f8"), ArrayBytes("1234"))),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("w: an array of ")));
}

TEST(NumpyArrayTest, WhatNoTensorHoldsIsNoArray) {
  for (const std::string& dtype : {ArrayDType("O"), ArrayDType("U1"), ArrayDType("f4", ">"), PickleInt(4)}) {
    EXPECT_THAT(ReadOne(Array({1}, dtype, ArrayBytes("1234"))),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("a Python pickle that torch.save did not write; it holds no tensors")));
  }
}

TEST(NumpyArrayTest, NothingFollowsThePickle) {
  const std::string file =
      Pickled(PickleDict({{PickleString("w"), Array({1}, ArrayDType("i1"), ArrayBytes("a"))}})) + "more";
  EXPECT_THAT(ReadTorchLegacy(file), StatusIs(absl::StatusCode::kDataLoss, "4 bytes follow the pickle"));
}

}  // namespace
}  // namespace modelport
