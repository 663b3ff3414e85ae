// Files that users of a model's network have trained and published: keys and shapes tell which model of the catalog a
// file is, or with which arguments.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/recognise/checked_plan.h"
#include "registry/recognise/infer_models.h"
#include "registry/registry.h"
#include "tests/manifests/key_list.h"

namespace modelport {
namespace {

constexpr char kFolder[] = "keys/community";

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, path] : KeyLists(kFolder)) names.push_back(name);
  return names;
}

const Registry& EmbeddedRegistry() {
  static const auto* const registry = new Registry(Registry::Load(BuiltInPlugins(), {}).value());
  return *registry;
}

class CommunityFilesTest : public testing::TestWithParam<std::string> {
 protected:
  KeyList file_ = ReadKeyList(KeyLists(kFolder).at(GetParam()));
  Checkpoint checkpoint_ = MakeHeaderCheckpoint(file_.file, file_.keys);
};

TEST_P(CommunityFilesTest, KeysAndShapesTellTheArguments) {
  int64_t parameters = 0;
  for (const SeededKey& key : file_.keys) parameters += *ElementCount(key.shape);
  EXPECT_EQ(parameters, file_.parameters);
  const Fits fits = FindFits(EmbeddedRegistry(), checkpoint_, {});
  std::vector<std::string> flags;
  for (const std::string& name : NamesOfFitting(fits.variants)) flags.push_back("--model=" + name);
  for (const InferredModel& model : fits.inferred) flags.push_back(FlagsOf(model));
  EXPECT_EQ(flags, file_.flags);
}

// Also where several models fit: all of them take the same.
TEST_P(CommunityFilesTest, TheFileFillsTheModel) {
  const Fits fits = FindFits(EmbeddedRegistry(), checkpoint_, {});
  for (const FittingVariant& variant : fits.variants) {
    ASSERT_OK(variant.plan);
    EXPECT_EQ(variant.plan->layout, file_.layout);
  }
  for (const InferredModel& model : fits.inferred) {
    const Plugin& plugin = *model.entry.plugin;
    ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(plugin.library, model.module));
    ASSERT_OK_AND_ASSIGN(const Plan plan, MakePlan(checkpoint_, plugin.key_map, tree, {}, FlagsOf(model)));
    EXPECT_EQ(plan.layout, file_.layout);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CommunityFilesTest, testing::ValuesIn(Names()), [](const auto& info) {
  return absl::StrReplaceAll(info.param, {{".", "_"}, {"-", "_"}});
});

}  // namespace
}  // namespace modelport
