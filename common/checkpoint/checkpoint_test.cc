#include "common/checkpoint/checkpoint.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/table_files.h"
#include "common/digest/sha256.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

std::vector<std::string> FileNames(const std::string& read_outcome) {
  std::vector<std::string> names;
  for (const auto& [name, expected] : CheckpointTable().items()) {
    if (expected["read"] == read_outcome) names.push_back(name);
  }
  return names;
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
}

const StateDict* FindDict(const Checkpoint& checkpoint, const std::string& path) {
  for (const StateDict& dict : checkpoint.state_dicts()) {
    if (dict.path == path) return &dict;
  }
  return nullptr;
}

// The tensor as expected.json writes it.
Json Summary(const Checkpoint& checkpoint, const CheckpointTensor& tensor) {
  return {std::string(DTypeName(tensor.dtype)), tensor.shape, tensor.strides, tensor.offset,
          Sha256Of(RowMajorBytes(checkpoint, tensor)).substr(0, 16)};
}

class GoodFileTest : public testing::TestWithParam<std::string> {};

TEST_P(GoodFileTest, HasTheExpectedTensors) {
  const Json& expected = CheckpointTable()[GetParam()];
  ASSERT_OK_AND_ASSIGN(const Checkpoint checkpoint, OpenCheckpoint(TableFile(GetParam())));
  const StateDict* dict = FindDict(checkpoint, expected["path"]);
  ASSERT_NE(dict, nullptr);
  EXPECT_EQ(dict->tensors.size(), expected["count"]);
  Json found;
  for (const CheckpointTensor& tensor : dict->tensors) found[tensor.key] = Summary(checkpoint, tensor);
  const Json& tensors = expected["tensors"];
  for (const auto& [name, summary] : (tensors.is_string() ? CheckpointTable()[tensors]["tensors"] : tensors).items()) {
    const std::string key = absl::StrCat(std::string(expected["prefix"]), name);
    EXPECT_EQ(found[key], summary) << key;
  }
}

TEST_P(GoodFileTest, HasTheCrc32ThatItStates) {
  const Json& expected = CheckpointTable()[GetParam()];
  ASSERT_OK_AND_ASSIGN(const Checkpoint checkpoint, OpenCheckpoint(TableFile(GetParam())));
  std::vector<int> storages(checkpoint.storages().size());
  std::iota(storages.begin(), storages.end(), 0);
  const absl::Status verified = VerifyCrc32(checkpoint, storages);
  if (expected.contains("crc32")) {
    EXPECT_THAT(verified,
                StatusIs(absl::StatusCode::kDataLoss,
                         StartsWith(absl::StrCat(TableFile(GetParam()), ": ", expected["crc32"].get<std::string>()))));
  } else {
    EXPECT_OK(verified);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, GoodFileTest, testing::ValuesIn(FileNames("ok")), TestName);

class BadFileTest : public testing::TestWithParam<std::string> {};

TEST_P(BadFileTest, IsRefusedForItsCause) {
  const Json& expected = CheckpointTable()[GetParam()];
  const std::string path = TableFile(GetParam());
  const absl::Status status = OpenCheckpoint(path).status();
  EXPECT_EQ(absl::StatusCodeToString(status.code()), expected["code"]);
  EXPECT_THAT(std::string(status.message()), AllOf(StartsWith(path + ": "), HasSubstr(expected["cause"])));
}

INSTANTIATE_TEST_SUITE_P(Files, BadFileTest, testing::ValuesIn(FileNames("error")), TestName);

TEST(CheckpointTest, AllFilesAreExpected) { EXPECT_EQ(CheckpointTable().size(), 57); }

TEST(CheckpointTest, MissingFileIsNotFound) {
  EXPECT_THAT(OpenCheckpoint("missing.pth"), StatusIs(absl::StatusCode::kNotFound, "missing.pth: no such file"));
}

TEST(CheckpointTest, PartsOfOtherCheckpointsAreNamed) {
  const std::string folder = absl::StrCat(testing::TempDir(), "/sharded");
  std::filesystem::create_directories(folder);
  for (const char* name : {"/.metadata", "/__0_0.distcp", "/data.pkl"}) std::ofstream(folder + name) << SmallTorchZip();
  for (const char* name : {"", "/.metadata", "/__0_0.distcp"}) {
    EXPECT_THAT(OpenCheckpoint(folder + name),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("a checkpoint of torch.distributed.checkpoint"),
                               HasSubstr(absl::StrCat("format_utils dcp_to_torch ", folder, " weights.pth")))));
  }
  EXPECT_THAT(OpenCheckpoint(folder + "/data.pkl"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("one record of an archive of torch.save")));
}

TEST(CheckpointTest, BorrowedBytesLiveAsLongAsTheCheckpoint) {
  const std::string path = absl::StrCat(testing::TempDir(), "/small.pth");
  std::ofstream(path, std::ios::binary) << SmallTorchZip();
  ASSERT_OK_AND_ASSIGN(Checkpoint opened, OpenCheckpoint(path));
  const Checkpoint checkpoint = std::move(opened);
  EXPECT_EQ(checkpoint.path(), path);
  EXPECT_EQ(RowMajorBytes(checkpoint, checkpoint.state_dicts()[0].tensors[1]),
            std::string("\0\0\xc0\x40\0\0\xe0\x40", 8));
}

}  // namespace
}  // namespace modelport
