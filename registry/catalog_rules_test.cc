#include "registry/catalog_rules.h"

#include <string>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(CheckCatalogNameTest, NamesOfPublishedModelsAreValid) {
  for (const char* name : {"dav2_vits", "dinov2_vits14_reg_lc4", "tiny_any", "3d-net", "vit.b16", "x"}) {
    EXPECT_OK(CheckCatalogName("variant", name)) << name;
  }
}

TEST(CheckCatalogNameTest, NamesThatCouldLeaveTheirFolderAreRefused) {
  for (const std::string name :
       {"", "../../escape", "..", ".hidden", "-flag", "_x", "a/b", "a b", "Vits", "a\nb", "a\\b", "\xc3\xa4"}) {
    EXPECT_THAT(
        CheckCatalogName("variant", name),
        StatusIs(kInvalid, "variant \"" + name +
                               "\" is not a valid name: it wants a-z, 0-9, _, . and -, at most 64 of them, a letter or "
                               "digit first"));
  }
  EXPECT_OK(CheckCatalogName("family", std::string(64, 'a')));
  EXPECT_THAT(CheckCatalogName("family", std::string(65, 'a')),
              StatusIs(kInvalid, testing::StartsWith("family \"aaa")));
}

TEST(CheckFileBelowTest, PathsThatCouldLeaveTheFolderAreRefused) {
  for (const char* path : {"a.pth", "DA3-SMALL/model.safetensors", "a/b/c..d", "...", "a b"}) {
    EXPECT_OK(CheckFileBelow(path)) << path;
  }
  for (const char* path : {"", "/etc/passwd", "../a.pth", "a/../../b", "a//b", "./a", "a/"}) {
    EXPECT_THAT(CheckFileBelow(path),
                StatusIs(kInvalid, testing::EndsWith("is not a path below a folder, without . and ..")));
  }
}

}  // namespace
}  // namespace modelport
