#include "common/expression/identifier.h"

#include <string>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(CheckIdentifierTest, NamesInPublishedModelsAreValid) {
  for (const char* name : {"weight", "resConfUnit1", "cls_token", "VisionTransformer", "_inner", "forward", "x2"}) {
    EXPECT_OK(CheckIdentifier(name)) << name;
  }
  EXPECT_OK(CheckIdentifier(std::string(64, 'a')));
}

TEST(CheckIdentifierTest, OtherCharactersAreRefused) {
  for (const std::string name : {"", "0", "a.b", "a-b", "a b", "\xc3\xa4", "../x", "a\n"}) {
    EXPECT_THAT(CheckIdentifier(name),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "\"" + name + "\" is not a valid name: it wants letters, digits and _, no digit first"));
  }
}

TEST(CheckIdentifierTest, LongNamesAreRefusedAndShownInPart) {
  EXPECT_THAT(
      CheckIdentifier(std::string(100000, 'a')),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "\"" + std::string(64, 'a') + "\" is not a valid name: it has 100000 characters, wants at most 64"));
}

TEST(CheckIdentifierTest, KeywordsAndReservedNamesAreRefused) {
  for (const char* name : {"False", "None", "class", "def", "is", "lambda", "with", "yield"}) {
    EXPECT_THAT(CheckIdentifier(name),
                StatusIs(absl::StatusCode::kInvalidArgument, testing::EndsWith("is a Python keyword")))
        << name;
  }
  EXPECT_THAT(CheckIdentifier("__annotations__"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "\"__annotations__\" is not a valid name: it begins with two _, which TorchScript reserves"));
}

}  // namespace
}  // namespace modelport
