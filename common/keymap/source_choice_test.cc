#include "common/keymap/source_choice.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

TEST(ParseSourceChoiceTest, NamesTheLayoutAndThePathOfADictionary) {
  const SourceChoice choice = ParseSourceChoice("timm", "a.b");
  EXPECT_EQ(choice.layout, "timm");
  EXPECT_EQ(choice.state_dict, "a.b");
}

TEST(ParseSourceChoiceTest, ADotIsTheRootAndNothingLeavesTheChoiceOpen) {
  EXPECT_EQ(ParseSourceChoice("auto", ".").state_dict, "");
  EXPECT_EQ(ParseSourceChoice("auto", "").state_dict, absl::nullopt);
}

TEST(ParseSourceChoiceTest, APrefixIsAPartOfTheDictionary) {
  EXPECT_EQ(ParseSourceChoice("auto", "", "teacher.backbone.").state_dict, "teacher.backbone");
  EXPECT_EQ(ParseSourceChoice("auto", ".", "teacher").state_dict, "teacher");
  EXPECT_EQ(ParseSourceChoice("auto", "model", "teacher.").state_dict, "model.teacher");
}

// A checkpoint with one tensor under each key of each dictionary.
Checkpoint CheckpointOf(const std::map<std::string, std::vector<std::string>>& dicts) {
  std::vector<StateDict> made;
  for (const auto& [path, keys] : dicts) {
    StateDict& dict = made.emplace_back();
    dict.path = path;
    for (const std::string& key : keys) dict.tensors.push_back({key, DType::kFloat32, {1}, {1}, 0, 0});
  }
  return MakeHeaderCheckpoint("net.pth", std::move(made));
}

TEST(FindDictTest, APathEndsInTheKeysOfADictionary) {
  const Checkpoint checkpoint =
      CheckpointOf({{"", {"net.a"}}, {"model", {"teacher.b", "teacher.c", "w"}}, {"model.ema", {"b"}}});
  ASSERT_OK_AND_ASSIGN(const FoundDict part, FindDict(checkpoint, "model.teacher"));
  EXPECT_EQ(part.path, "model.teacher");
  ASSERT_EQ(part.dict->tensors.size(), 2);
  EXPECT_EQ(part.dict->tensors[0].key, "b");
  EXPECT_EQ(FindDict(checkpoint, "model.ema")->dict, &checkpoint.state_dicts()[2]);
  EXPECT_EQ(FindDict(checkpoint, "net")->path, "net");
  // The only keys that begin so are in another dictionary than the root.
  EXPECT_EQ(FindDict(checkpoint, "teacher")->path, "model.teacher");
  EXPECT_THAT(FindDict(checkpoint, "model.w"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no dictionary \"model.w\" holds tensors")));
}

TEST(FindDictTest, ThePartsOfSeveralDictionariesAreNamed) {
  EXPECT_THAT(FindDict(CheckpointOf({{"a", {"net.w"}}, {"b", {"net.w"}}}), "net"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--state_dict=a.net or --state_dict=b.net")));
}

}  // namespace
}  // namespace modelport
