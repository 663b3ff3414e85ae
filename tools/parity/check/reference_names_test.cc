#include <ATen/ops/zeros.h>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/parity/check/compared_model.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::UnorderedElementsAre;

Reference Theirs() {
  Reference reference = {.path = "r.safetensors", .model = "net"};
  for (const char* name :
       {"input of encoder.layer.0", "encoder.layer.0 [1] -> 0", "encoder.norm", "pooler", "output"}) {
    reference.expected.emplace_back(name, at::zeros({1}));
  }
  reference.slices["encoder.norm"] = "[::2]";
  reference.settings["encoder.layer.0"] = {{"num_heads", 2}, {"eps", 1e-6}};
  reference.settings["pooler"] = {{"num_heads", 2}};
  return reference;
}

absl::StatusOr<Reference> Renamed(absl::string_view yaml) {
  const auto names = ParseReferenceNames("names.yaml", yaml);
  if (!names.ok()) return names.status();
  Reference reference = Theirs();
  const absl::Status status = RenameReference(*names, reference);
  if (!status.ok()) {
    EXPECT_EQ(reference.expected.size(), Theirs().expected.size());
    return status;
  }
  return reference;
}

std::vector<std::string> Names(const Reference& reference) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : reference.expected) names.push_back(name);
  return names;
}

TEST(RenameReferenceTest, TheLongestPathThatFitsIsTakenAndNullLeavesOut) {
  ASSERT_OK_AND_ASSIGN(const Reference reference, Renamed("modules:\n"
                                                          "  encoder: backbone\n"
                                                          "  encoder.layer: blocks\n"
                                                          "  pooler: null\n"));
  EXPECT_THAT(Names(reference), ElementsAre("input of blocks.0", "blocks.0 [1] -> 0", "backbone.norm", "output"));
  EXPECT_THAT(reference.slices, ElementsAre(std::pair("backbone.norm", "[::2]")));
  EXPECT_THAT(reference.settings, ElementsAre(Key("blocks.0")));
}

TEST(RenameReferenceTest, SettingsGetTheirNamesInAllModules) {
  ASSERT_OK_AND_ASSIGN(const Reference reference, Renamed("settings: {num_heads: heads, eps: null}"));
  EXPECT_THAT(Names(reference),
              ElementsAre("input of encoder.layer.0", "encoder.layer.0 [1] -> 0", "encoder.norm", "pooler", "output"));
  EXPECT_THAT(reference.settings.at("encoder.layer.0"), UnorderedElementsAre(Key("heads")));
  EXPECT_THAT(reference.settings.at("pooler"), UnorderedElementsAre(Key("heads")));
}

TEST(RenameReferenceTest, AModuleMayMoveToTheRoot) {
  ASSERT_OK_AND_ASSIGN(const Reference reference, Renamed("modules: {encoder: \"\"}"));
  EXPECT_THAT(Names(reference), ElementsAre("input of layer.0", "layer.0 [1] -> 0", "norm", "pooler", "output"));
}

TEST(RenameReferenceTest, NamesThatMatchNothingOrCollideAreErrors) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(
      Renamed("modules: {encodr: backbone}"),
      StatusIs(kInvalid, AllOf(HasSubstr("names.yaml: the reference has no module encodr"), HasSubstr("nearest: "))));
  EXPECT_THAT(Renamed("settings: {num_head: heads}"), StatusIs(kInvalid, HasSubstr("nearest: num_heads")));
  EXPECT_THAT(Renamed("modules: {pooler: encoder.norm}"),
              StatusIs(kInvalid, HasSubstr("two stages of the reference become encoder.norm, one of them pooler")));
  EXPECT_THAT(Renamed("module: {encoder: backbone}"),
              StatusIs(kInvalid, HasSubstr("names.yaml:1:1: unknown field \"module\"")));
  EXPECT_THAT(Renamed("modules: {encoder: [backbone]}"), StatusIs(kInvalid, HasSubstr("field \"encoder\"")));
}

}  // namespace
}  // namespace modelport
