#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/readers.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/io/byte_reader.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string Entry(const std::string& key, const std::string& dtype, const std::string& shape, int begin, int end) {
  return absl::StrCat("\"", key, "\":{\"dtype\":\"", dtype, "\",\"shape\":", shape, ",\"data_offsets\":[", begin, ",",
                      end, "]}");
}

// A file with these entries and eight bytes of data.
std::string File(const std::vector<std::string>& entries) {
  return SafetensorsFile(absl::StrCat("{", absl::StrJoin(entries, ","), "}"), "8 bytes.");
}

TEST(SafetensorsReaderTest, ReadsTensorsInHeaderOrderAndMetadata) {
  const std::string file = File({R"("__metadata__":{"format":"pt"})", Entry("b", "F32", "[1]", 4, 8),
                                 Entry("a", "F16", "[1,2]", 0, 4), Entry("none", "I64", "[0]", 4, 4)});
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents, ReadSafetensors(file));
  EXPECT_EQ(contents.format, "safetensors");
  EXPECT_THAT(contents.metadata, ElementsAre(Pair("format", "pt")));
  ASSERT_EQ(contents.state_dicts.size(), 1);
  const std::vector<CheckpointTensor>& tensors = contents.state_dicts[0].tensors;
  ASSERT_EQ(tensors.size(), 3);
  EXPECT_EQ(tensors[0].key, "b");
  EXPECT_EQ(tensors[1].key, "a");
  EXPECT_EQ(tensors[1].dtype, DType::kFloat16);
  EXPECT_THAT(tensors[1].shape, ElementsAre(1, 2));
  EXPECT_THAT(tensors[1].strides, ElementsAre(2, 1));
  EXPECT_EQ(contents.storages[tensors[0].storage].bytes, "tes.");
  EXPECT_EQ(contents.storages[tensors[1].storage].bytes, "8 by");
  EXPECT_EQ(contents.storages[tensors[2].storage].bytes, "");
}

TEST(SafetensorsReaderTest, ReadsEveryDType) {
  for (const char* dtype : {"F64", "I64", "F32", "I32", "F16", "BF16", "I16", "I8", "U8", "BOOL"}) {
    const int64_t bits = dtype[0] == 'B' ? (dtype[1] == 'F' ? 16 : 8) : std::stoi(dtype + 1);
    EXPECT_OK(ReadSafetensors(File({Entry("a", dtype, absl::StrCat("[", 64 / bits, "]"), 0, 8)}))) << dtype;
  }
}

TEST(SafetensorsReaderTest, ATensorOfAnUnknownDTypeIsBesideTheOthers) {
  const std::string file = File({Entry("a", "F6_E2M3", "[4]", 0, 3), Entry("b", "U8", "[5]", 3, 8)});
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents, ReadSafetensors(file));
  ASSERT_EQ(contents.state_dicts[0].tensors.size(), 1);
  EXPECT_EQ(contents.storages[contents.state_dicts[0].tensors[0].storage].bytes, "ytes.");
  ASSERT_EQ(contents.loose.size(), 1);
  EXPECT_EQ(contents.loose[0].key, "a");
  EXPECT_EQ(contents.loose[0].holder, "a tensor of dtype F6_E2M3");
}

TEST(SafetensorsReaderTest, SpacesMayPadTheHeader) {
  EXPECT_OK(ReadSafetensors(SafetensorsFile(absl::StrCat("{", Entry("a", "F64", "[]", 0, 8), "}    "), "8 bytes.")));
}

TEST(SafetensorsReaderTest, MetadataMayBeNull) {
  const std::string file = File({R"("__metadata__":null)", Entry("a", "F64", "[]", 0, 8)});
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents, ReadSafetensors(file));
  EXPECT_TRUE(contents.metadata.empty());
  EXPECT_EQ(contents.state_dicts[0].tensors.size(), 1);
}

TEST(SafetensorsReaderTest, KeysAreSpelledOutVisibly) {
  const std::string file = File({Entry("a\\u001b[2J\\n", "F64", "[]", 0, 8)});
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents, ReadSafetensors(file));
  EXPECT_EQ(contents.state_dicts[0].tensors[0].key, "a\\x1b[2J\\n");
}

struct DefectCase {
  std::string name;
  std::string file;
  std::string message;
  absl::StatusCode code = absl::StatusCode::kDataLoss;
};

class SafetensorsDefectTest : public testing::TestWithParam<DefectCase> {};

TEST_P(SafetensorsDefectTest, IsRefused) {
  EXPECT_THAT(ReadSafetensors(GetParam().file), StatusIs(GetParam().code, HasSubstr(GetParam().message)));
}

std::string Good() { return Entry("a", "F64", "[1]", 0, 8); }

std::vector<DefectCase> DefectCases() {
  const std::string deep(1'000'000, '[');
  return {
      {"NoHeaderLength", "1234567", "truncated: no header length"},
      {"HeaderTooLarge", LittleEndian<uint64_t>(100'000'001) + "{}", "header length 100000001 is more than 100 MB"},
      {"HeaderTooLong", LittleEndian<uint64_t>(3) + "{}", "the header wants 3 bytes, the file has 2"},
      {"NotJson", SafetensorsFile("{\"a\"", ""), "header is not JSON in UTF-8 from its byte"},
      {"BytesAfterANul", SafetensorsFile(absl::StrCat("{", Good(), "}", std::string("\0{}", 3)), "8 bytes."),
       "header has a NUL at its byte"},
      {"KeysSpelledAlike", File({Entry("a\\n", "F32", "[1]", 0, 4), Entry("a\\\\n", "F32", "[1]", 4, 8)}),
       "header, a\\n: occurs twice"},
      {"JsonAfterJson", SafetensorsFile("{}{}", ""), "header is not JSON"},
      {"NotUtf8", File({Entry("\xff", "F64", "[1]", 0, 8)}), "header is not JSON in UTF-8"},
      {"NotAnObject", SafetensorsFile("[]", ""), "header has an array where none belongs"},
      {"DeepNesting", SafetensorsFile(deep, ""), "header has an array where none belongs"},
      {"DeepNestingInAnEntry", SafetensorsFile("{\"a\":{\"shape\":" + deep, ""), "header, a: has an array"},
      {"EntryIsNull", File({"\"a\":null"}), "header, a: has null where none belongs"},
      {"EntryIsNoObject", File({"\"a\":1"}), "header, a: has a number where none belongs"},
      {"NoTensors", SafetensorsFile("{}", ""), "holds no tensors", absl::StatusCode::kInvalidArgument},
      {"MetadataIsNoString", File({R"("__metadata__":{"n":1})", Good()}), "__metadata__: has a number"},
      {"MetadataKeyTwice", File({R"("__metadata__":{"n":"","n":""})", Good()}), "__metadata__: n occurs twice"},
      {"KeyTwice", File({Entry("a", "F32", "[1]", 0, 4), Entry("a", "F32", "[1]", 4, 8)}), "header, a: occurs twice"},
      {"FieldTwice", File({R"("a":{"dtype":"F64","dtype":"F64"})"}), "header, a: dtype occurs twice"},
      {"UnknownField", File({R"("a":{"stride":[1]})"}), "header, a: unknown field \"stride\""},
      {"FieldMissing", File({R"("a":{"dtype":"F64","shape":[1]})"}), "header, a: wants dtype, shape and data_offsets"},
      {"NoDTypeKnown", File({Entry("a", "F4", "[16]", 0, 8)}),
       "holds no tensor that can be read: a is a tensor of dtype F4", absl::StatusCode::kUnimplemented},
      {"DTypeInSmallLetters", File({Entry("a", "f32", "[2]", 0, 8)}), "a: has the dtype \"f32\", which is none"},
      {"DTypeEmpty", File({Entry("a", "", "[2]", 0, 8)}), "a: has the dtype \"\", which is none"},
      {"DTypeIsNoString", File({R"("a":{"dtype":8})"}), "header, a: has a number"},
      {"SizeNegative", File({Entry("a", "F64", "[-1]", 0, 8)}), "header, a: has a negative number"},
      {"SizeFractional", File({Entry("a", "F64", "[1.5]", 0, 8)}), "header, a: has a fractional or huge number"},
      {"SizeBeyond64Bits", File({Entry("a", "F64", "[99999999999999999999]", 0, 8)}), "fractional or huge number"},
      {"SizeBeyond63Bits", File({Entry("a", "F64", "[9223372036854775808]", 0, 8)}), "a size of its shape is too big"},
      {"ShapeTooLong",
       File({Entry("a", "F64", absl::StrCat("[", absl::StrJoin(std::vector<int>(65, 1), ","), "]"), 0, 8)}),
       "shape has more than 64 numbers"},
      {"ShapeOverflows", File({Entry("a", "F64", "[4294967296,4294967296]", 0, 8)}), "does not take the 8 bytes"},
      {"BytesOverflow", File({Entry("a", "F64", "[2305843009213693953]", 0, 8)}), "does not take the 8 bytes"},
      {"ShapeTooSmall", File({Entry("a", "F32", "[1]", 0, 8)}), "a: shape [1] of float32 does not take the 8 bytes"},
      {"ThreeOffsets", File({R"("a":{"data_offsets":[0,8,8]})"}), "data_offsets wants two numbers"},
      {"OffsetsReversed", File({Entry("a", "F64", "[1]", 8, 0)}), "a: its data_offsets [8, 0]"},
      {"HoleBefore", File({Entry("a", "F32", "[1]", 4, 8)}), "a: its data_offsets [4, 8] leave a hole"},
      {"Overlap", File({Entry("a", "F32", "[1]", 0, 4), Entry("b", "F32", "[1]", 2, 6)}), "b: its data_offsets [2, 6]"},
      {"DataCut", File({Entry("a", "F64", "[2]", 0, 16)}), "truncated: the tensors take 16 bytes, the file has 8"},
      {"DataAfterTheLast", File({Entry("a", "F32", "[1]", 0, 4)}), "bytes follow the last tensor: the tensors take 4"},
  };
}

INSTANTIATE_TEST_SUITE_P(Defects, SafetensorsDefectTest, testing::ValuesIn(DefectCases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace modelport
