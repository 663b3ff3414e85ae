#include "common/keymap/left_out.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/tensor/dtype.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A dictionary of `count` tensors of 2 elements in `storage`.
StateDict LeftOutDict(const std::string& path, int count, int storage) {
  StateDict dict{path, {}, {}};
  for (int i = 0; i < count; ++i) {
    dict.tensors.push_back({absl::StrCat("w", i), DType::kFloat32, {2}, {1}, 2 * i, storage});
  }
  return dict;
}

// "path: tensors, elements" of what is left out when the dictionary `taken` is taken.
std::vector<std::string> LeftOutOf(std::vector<StateDict> dicts, std::vector<LooseTensors> loose, size_t taken) {
  Checkpoint::Contents contents;
  contents.state_dicts = std::move(dicts);
  contents.loose = std::move(loose);
  const Checkpoint checkpoint(std::move(contents));
  std::vector<std::string> found;
  for (const LeftOut& part : FindLeftOut(checkpoint, checkpoint.state_dicts()[taken])) {
    found.push_back(absl::StrCat(part.path, ": ", part.tensors, ", ", part.elements));
  }
  return found;
}

TEST(LeftOutTest, CountsTensorsByTheOutermostPartThatWasNotTaken) {
  const std::vector<StateDict> dicts = {LeftOutDict("", 1, 0),
                                        LeftOutDict("teacher.net", 3, 1),
                                        LeftOutDict("teacher.ema.a", 1, 2),
                                        LeftOutDict("optimizer.state.0", 2, 3),
                                        LeftOutDict("optimizer.state.1", 2, 4),
                                        LeftOutDict("teacher.network", 1, 5)};
  const std::vector<LooseTensors> loose = {{"optimizer.rng", "a list", 1, 9}, {"args", "an object", 4, 8}};
  EXPECT_THAT(LeftOutOf(dicts, loose, 1),
              ElementsAre(": 1, 2", "teacher.ema: 1, 2", "optimizer: 5, 17", "teacher.network: 1, 2", "args: 4, 8"));
  EXPECT_THAT(LeftOutOf(dicts, loose, 0), ElementsAre("teacher: 5, 10", "optimizer: 5, 17", "args: 4, 8"));
}

TEST(LeftOutTest, AttributesOfTheStateDictAreNamed) {
  EXPECT_THAT(LeftOutOf({LeftOutDict("model", 1, 0)}, {{"model.(attributes)", "a list", 1, 3}}, 0),
              ElementsAre("model.(attributes): 1, 3"));
}

TEST(LeftOutTest, TheSameTensorsUnderAnotherNameAreNotLeftOut) {
  EXPECT_THAT(LeftOutOf({LeftOutDict("model", 3, 0), LeftOutDict("state_dict", 3, 0)}, {}, 0), IsEmpty());
  EXPECT_THAT(LeftOutOf({LeftOutDict("model", 3, 0), LeftOutDict("state_dict", 4, 0)}, {}, 0),
              ElementsAre("state_dict: 1, 2"));
  StateDict transposed = LeftOutDict("other", 3, 0);
  for (CheckpointTensor& tensor : transposed.tensors) tensor.strides = {0};
  EXPECT_THAT(LeftOutOf({LeftOutDict("model", 3, 0), transposed}, {}, 0), ElementsAre("other: 3, 6"));
}

TEST(LeftOutTest, OfADictionaryThatIsCutTheOtherKeysAreNamed) {
  Checkpoint::Contents contents;
  StateDict dict{"model", {}, {}};
  for (const char* key :
       {"teacher.net.a", "teacher.net.b", "teacher.head.w", "student.net.a", "student.net.b", "loss"}) {
    dict.tensors.push_back({key, DType::kFloat32, {2}, {1}, 2 * static_cast<int64_t>(dict.tensors.size()), 0});
  }
  contents.state_dicts = {std::move(dict), LeftOutDict("optimizer", 2, 1)};
  const Checkpoint checkpoint(std::move(contents));
  const StateDict* const part = checkpoint.FindPart(checkpoint.state_dicts()[0], "teacher.net.");
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(DescribeLeftOut(FindLeftOut(checkpoint, *part)),
            "model.teacher.head (1 tensor), model.student (2 tensors), model.loss (1 tensor), optimizer (2 tensors)");
}

TEST(LeftOutTest, ALongListIsDescribedInBrief) {
  EXPECT_EQ(DescribeLeftOut({{"", 1, 2}, {"student", 174, 2}, {"a", 1, 1}, {"b", 1, 1}, {"c", 1, 1}, {"d", 1, 1}}),
            "the file's root (1 tensor), student (174 tensors), a (1 tensor), b (1 tensor), c (1 tensor), +1 more");
  EXPECT_EQ(DescribeLeftOut({{std::string(1000, 'x'), 2, 2}}),
            absl::StrCat(std::string(100, 'x'), "... (1000 bytes) (2 tensors)"));
}

}  // namespace
}  // namespace modelport
