#include "common/checkpoint/file_kind.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
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

TEST(FileKindTest, TellsArchivesByTheNamesOfTheirRecords) {
  const auto records = [](const std::vector<absl::string_view>& names) {
    std::vector<ZipRecord> records;
    for (const absl::string_view name : names) records.emplace_back().name = name;
    return records;
  };
  for (const auto& of_script : {records({"m/data.pkl", "m/constants.pkl"}), records({"m/code/__torch__.py"})}) {
    EXPECT_TRUE(HasScript(of_script));
    EXPECT_EQ(ForeignArchive(of_script), "");
  }
  const std::vector<ZipRecord> of_save = records({"m/data.pkl", "m/data/0", "m/version"});
  EXPECT_FALSE(HasScript(of_save));
  EXPECT_EQ(ForeignArchive(of_save), "");
  // torch.export also writes examples of torch.save and, with its compiler, TorchScript.
  EXPECT_EQ(ForeignArchive(records({"m/data/sample_inputs/model.pt", "m/archive_format", "m/code/__torch__.py"})),
            "a program of torch.export\n  save its weights as "
            "torch.save(torch.export.load(path).state_dict, \"weights.pth\")");
  EXPECT_THAT(ForeignArchive(records({"serialized_exported_program.json"})), HasSubstr("a program of torch.export\n"));
  EXPECT_EQ(ForeignArchive(records({"README", "net/model.PTH"})),
            "a zip archive that holds net/model.PTH\n  unpack it first, and give that file");
  EXPECT_THAT(ForeignArchive(records({"config.json", "model.weights.h5"})), HasSubstr("a Keras file\n"));
  EXPECT_THAT(ForeignArchive(records({"weight.npy"})), HasSubstr("an archive of NumPy arrays\n"));
  // The names are whole components of a path.
  EXPECT_EQ(ForeignArchive(records({"m/my_archive_format", "m/mydata.pkl", "barcode/a.py"})),
            "a zip archive that torch.save did not write: it has no data.pkl");
}

}  // namespace
}  // namespace modelport
