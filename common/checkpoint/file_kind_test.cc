#include "common/checkpoint/file_kind.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

TEST(FileKindTest, TellsTheFormats) {
  EXPECT_THAT(DetectFileKind(SmallSafetensors()), IsOk());
  EXPECT_EQ(*DetectFileKind(SmallSafetensors()), FileKind::kSafetensors);
  EXPECT_EQ(*DetectFileKind(SmallTorchZip()), FileKind::kTorchZip);
  EXPECT_EQ(*DetectFileKind(SmallTorchLegacy()), FileKind::kTorchLegacy);
}

TEST(FileKindTest, SafetensorsWhoseLengthReadsAsABrace) {
  const std::string header = absl::StrCat("{", std::string(122, ' '));
  EXPECT_EQ(*DetectFileKind(SafetensorsFile(header, "")), FileKind::kSafetensors);
}

TEST(FileKindTest, SafetensorsWhoseLengthReadsAsAPickle) {
  const std::string header = absl::StrCat("{", std::string(0x027f, ' '));
  EXPECT_EQ(*DetectFileKind(SafetensorsFile(header, "")), FileKind::kSafetensors);
}

TEST(FileKindTest, ATextInBracesIsJson) { EXPECT_EQ(*DetectFileKind("{\"weight_map\": {}}"), FileKind::kJson); }

TEST(FileKindTest, SaysWhatElseAFileIs) {
  struct Case {
    std::string bytes;
    std::string message;
  };
  const std::string tar = std::string(257, 'x') + "ustar";
  const Case cases[] = {
      {"\n<!DOCTYPE html><html>", "a web page"},
      {"<html>", "a web page"},
      {"<?xml version=\"1.0\"?><Error>AccessDenied", "a web page"},
      {"version https://git-lfs.github.com/spec/v1\noid", "a Git LFS pointer"},
      {"GGUF\3........", "a GGUF file"},
      {"\x89HDF\r\n\x1a\n........", "an HDF5 file"},
      {"\x1c...TFL3........", "a TensorFlow Lite file"},
      {"\x93NUMPY........", "a NumPy array"},
      {"\x1f\x8b\x08.........", "a gzip file"},
      {"\x28\xb5\x2f\xfd........", "a zstd file"},
      {"BZh9............", "a bzip2 file"},
      {tar, "a tar archive"},
      {"\x08\x07\x12\x07pytorch", "an ONNX file"},
      {"just some text in a file", "neither torch.save nor safetensors"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(DetectFileKind(c.bytes), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
}

TEST(FileKindTest, ForeignKindsHaveTheCuresThatLeadToAnotherFile) {
  EXPECT_EQ(ForeignKind("version https://git-lfs.github.com/spec/v1\noid"),
            "a Git LFS pointer, not the file itself\n  fetch the file with: git lfs pull");
  EXPECT_EQ(ForeignKind("\x08\x07\x12\x07pytorch"), "an ONNX file");
  EXPECT_EQ(ForeignKind("just some text in a file"), "");
  EXPECT_EQ(ForeignKind(SmallTorchZip()), "");
}

TEST(FileKindTest, TooFewBytesAreDataLoss) {
  EXPECT_THAT(DetectFileKind(""), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("empty file")));
  EXPECT_THAT(DetectFileKind("PK\3\4"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("truncated: has 4 bytes")));
}

}  // namespace
}  // namespace modelport
