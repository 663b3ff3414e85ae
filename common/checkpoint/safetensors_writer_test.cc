#include "common/checkpoint/safetensors_writer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/readers.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;

std::string Text(const std::string& header) { return header.substr(8); }

TEST(SafetensorsHeaderTest, IsWhatTheLibraryWrites) {
  const std::string header =
      SafetensorsHeader({{"a", DType::kFloat32, {2, 3}}, {"b\"", DType::kBFloat16, {}}}, {{"format", "pt"}});
  EXPECT_EQ(Text(header), R"({"__metadata__":{"format":"pt"},)"
                          R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                          R"("b\"":{"dtype":"BF16","shape":[],"data_offsets":[24,26]}}       )");
  EXPECT_EQ(header.size() % 8, 0);
  EXPECT_EQ(header.substr(0, 8), std::string("\x98\0\0\0\0\0\0\0", 8));
}

TEST(SafetensorsHeaderTest, WithoutMetadataHasNone) {
  EXPECT_EQ(Text(SafetensorsHeader({{"a", DType::kInt8, {1}}}, {})),
            R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}}   )");
}

TEST(SafetensorsHeaderTest, IsReadBack) {
  const std::vector<SafetensorsTensor> tensors = {{"x", DType::kInt64, {1, 2}}, {"y", DType::kBool, {0}}};
  ASSERT_OK_AND_ASSIGN(const CheckpointContents contents,
                       ReadSafetensors(absl::StrCat(SafetensorsHeader(tensors, {{"k", "v\n"}}), std::string(16, 0))));
  EXPECT_EQ(contents.metadata.at("k"), "v\n");
  ASSERT_EQ(contents.state_dicts[0].tensors.size(), 2);
  EXPECT_EQ(contents.state_dicts[0].tensors[0].shape, Shape({1, 2}));
  EXPECT_EQ(contents.state_dicts[0].tensors[1].dtype, DType::kBool);
}

TEST(ComesBeforeTest, SortsByRankAndThenByKey) {
  std::vector<SafetensorsTensor> tensors;
  for (const DType dtype : {DType::kBool, DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kInt64,
                            DType::kFloat64, DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32}) {
    for (const char* key : {"b", "a", "a.b"}) tensors.push_back({key, dtype, {}});
  }
  std::sort(tensors.begin(), tensors.end(), ComesBefore);
  std::vector<std::string> dtypes;
  for (size_t i = 0; i < tensors.size(); i += 3) {
    EXPECT_EQ(tensors[i].key, "a");
    EXPECT_EQ(tensors[i + 1].key, "a.b");
    EXPECT_EQ(tensors[i + 2].key, "b");
    dtypes.emplace_back(DTypeName(tensors[i].dtype));
  }
  EXPECT_THAT(dtypes, ElementsAre("int64", "float64", "float32", "int32", "bfloat16", "float16", "int16", "int8",
                                  "uint8", "bool"));
}

}  // namespace
}  // namespace modelport
