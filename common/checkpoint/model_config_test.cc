#include "common/checkpoint/model_config.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/io/input_record.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

class ModelConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }

  void Write(const std::string& text) { std::ofstream(folder_ + "/config.json", std::ios::binary) << text; }
  auto Read() { return ModelConfig::ReadBeside(folder_ + "/model.safetensors"); }

  void ExpectRefused(const std::string& what) {
    EXPECT_THAT(Read().status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("/config.json: " + what)));
  }

  const std::string folder_ = testing::TempDir() + "/model_config";
};

TEST_F(ModelConfigTest, NoFileIsNoConfig) {
  ASSERT_OK_AND_ASSIGN(const auto config, Read());
  EXPECT_FALSE(config);
}

TEST_F(ModelConfigTest, FieldsAreFoundByTheirPaths) {
  Write(R"({"depth_estimation_type": "metric", "max_depth": 20.0, "none": null, "scale": 0.25, "on": true,
            "backbone_config": {"out_indices": [3, 6.0], "mixed": [{}], "stages": ["a", "b"]}})");
  ASSERT_OK_AND_ASSIGN(const auto config, Read());
  ASSERT_TRUE(config);
  EXPECT_EQ(config->path(), folder_ + "/config.json");
  EXPECT_EQ(config->Find("depth_estimation_type"), "metric");
  EXPECT_EQ(config->Find("max_depth"), "20");
  EXPECT_EQ(config->Find("scale"), "0.25");
  EXPECT_EQ(config->Find("on"), "true");
  EXPECT_EQ(config->Find("backbone_config.out_indices"), "[3, 6]");
  EXPECT_EQ(config->Find("backbone_config.stages"), "[a, b]");
  for (const char* field : {"none", "missing", "backbone_config", "backbone_config.mixed", ""}) {
    EXPECT_EQ(config->Find(field), absl::nullopt) << field;
  }
}

TEST_F(ModelConfigTest, NoOutputReplacesIt) {
  Write("{}");
  const InputRecord record;
  ASSERT_OK(Read());
  EXPECT_THAT(CheckReplacesNoInput(folder_ + "/config.json"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is the input")));
}

TEST_F(ModelConfigTest, WhatIsNoConfigIsRefused) {
  for (const char* text : {"", "[]", "20", "{\"a\": 1", "{\"a\": 1}x", "\xff"}) {
    Write(text);
    ExpectRefused("is not an object of JSON");
  }
  Write(std::string("{\"a\": 1}\0{\"a\": 2}", 17));
  ExpectRefused("is not an object of JSON");
  Write("{\"a\": \"" + std::string(1 << 20, 'x') + "\"}");
  ExpectRefused("has more than 1 MiB");
  std::filesystem::remove(folder_ + "/config.json");
  std::filesystem::create_directory(folder_ + "/config.json");
  ExpectRefused("is not a regular file");
}

TEST_F(ModelConfigTest, LongPathsAreLeftOut) {
  const std::string longest(198, 'n');
  Write(absl::StrCat("{\"", longest, "\": {\"a\": 1, \"ab\": 2}}"));
  ASSERT_OK_AND_ASSIGN(const auto config, Read());
  ASSERT_TRUE(config);
  EXPECT_EQ(config->Find(longest + ".a"), "1");
  EXPECT_EQ(config->Find(longest + ".ab"), absl::nullopt);
}

TEST_F(ModelConfigTest, ManyLevelsTakeNoStack) {
  std::string open, close;
  for (int i = 0; i < 150000; ++i) {
    open += "{\"a\":";
    close += "}";
  }
  Write(open + "1" + close);
  ASSERT_OK_AND_ASSIGN(const auto config, Read());
  EXPECT_TRUE(config);
  Write(std::string(500000, '['));
  ExpectRefused("is not an object of JSON");
}

TEST(ConfigTextTest, NumbersAreWrittenInOneWay) {
  EXPECT_EQ(ConfigText("20.0"), "20");
  EXPECT_EQ(ConfigText("2e1"), "20");
  EXPECT_EQ(ConfigText("-0.50"), "-0.5");
  EXPECT_EQ(ConfigText("metric"), "metric");
  EXPECT_EQ(ConfigText("nan"), "nan");
  EXPECT_EQ(ConfigText(""), "");
}

}  // namespace
}  // namespace modelport
