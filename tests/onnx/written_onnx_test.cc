// An export reads the files that it wrote, before they get names, and finds each byte that is not as it was written.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "artifact/build/build_artifact.h"
#include "artifact/format/artifact_format.h"
#include "common/io/testing/memory_file.h"
#include "common/io/writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/support/examples.h"

namespace modelport {
namespace {

using testing::HasSubstr;

constexpr char kDataName[] = "m.onnx.data";

class Text : public Writer {
 public:
  absl::Status Write(absl::string_view bytes) override {
    text.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }

  std::string text;
};

// Whether the weights lie in a data file.
class WrittenOnnxTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
    ArtifactRequest request = {.weights = Seeded{0}, .external_data = GetParam()};
    ASSERT_OK_AND_ASSIGN(request.entry, registry.Find(DepthModel()));
    ASSERT_OK_AND_ASSIGN(request.target, FindTarget("onnx"));
    ASSERT_OK_AND_ASSIGN(ArtifactPlan plan, PlanArtifact(registry, request));
    ASSERT_OK_AND_ASSIGN(Artifact artifact, BuildArtifact(request, std::move(plan)));
    ASSERT_OK_AND_ASSIGN(formatted_, FormatArtifact(request, std::move(artifact)));
    const auto manifest = [] { return std::string("{}"); };
    ASSERT_OK(formatted_.prepared->Write(manifest, {file_, &data_, kDataName}));
    ASSERT_EQ(data_.text.empty(), !GetParam());
  }

  // What the export says of these files.
  absl::Status Check(const std::string& file, const std::string& data) const {
    const MemoryFile written(file), beside(data);
    return formatted_.prepared->CheckWritten({written.path(), data.empty() ? "" : beside.path(), kDataName}, "m.onnx");
  }

  static std::string Changed(std::string bytes, size_t place) {
    bytes[place] = static_cast<char>(bytes[place] ^ 1);
    return bytes;
  }

  FormattedArtifact formatted_;
  Text file_, data_;
};

TEST_P(WrittenOnnxTest, WhatWasWrittenPasses) { EXPECT_OK(Check(file_.text, data_.text)); }

TEST_P(WrittenOnnxTest, AChangedWeightIsNamed) {
  std::string& bytes = GetParam() ? data_.text : file_.text;
  // Most bytes are those of weights. In a data file the last ones of a page may belong to none, the first ones never.
  bytes = Changed(bytes, bytes.size() / 2 / 4096 * 4096);
  const absl::Status status = Check(file_.text, data_.text);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInternal, HasSubstr(" is not what was written")));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInternal, HasSubstr(".weight")));
}

TEST_P(WrittenOnnxTest, AChangedTextOfTheGraphIsFound) {
  // The name of the producer, at the front of the file.
  const size_t place = file_.text.find("modelport");
  ASSERT_NE(place, std::string::npos);
  EXPECT_THAT(Check(Changed(file_.text, place), data_.text),
              StatusIs(absl::StatusCode::kInternal, "m.onnx: its graph is not what was written"));
}

TEST_P(WrittenOnnxTest, AChangedByteBetweenWeightsIsFound) {
  if (!GetParam()) return;  // Between those in the file itself lie their names and sizes.
  // The end of a page that no weight fills.
  size_t place = 0;
  for (size_t end = 4096; end <= data_.text.size() && place == 0; end += 4096) {
    if (data_.text.compare(end - 8, 8, std::string(8, '\0')) == 0) place = end - 1;
  }
  ASSERT_GT(place, 0);
  EXPECT_THAT(Check(file_.text, Changed(data_.text, place)),
              StatusIs(absl::StatusCode::kInternal,
                       "m.onnx: what lies between the weights of its data file is not what was written"));
}

TEST_P(WrittenOnnxTest, AFileThatEndsEarlyIsFound) {
  std::string& bytes = GetParam() ? data_.text : file_.text;
  bytes.resize(bytes.size() / 2);
  EXPECT_FALSE(Check(file_.text, data_.text).ok());
}

INSTANTIATE_TEST_SUITE_P(ExternalData, WrittenOnnxTest, testing::Bool());

}  // namespace
}  // namespace modelport
