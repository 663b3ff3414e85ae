// Shows that the goldens and the table of constants find mistakes: each mutation of a family's text makes one of these
// tests fail.
//   mutation_test FAMILY
// The test models whose goldens are among the data, and their constants, are asked, the smaller goldens first.
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/plugin.h"
#include "registry/registry.h"
#include "tests/goldens/golden_case.h"
#include "tests/goldens/golden_check.h"
#include "tests/mutation/constants_check.h"
#include "tests/support/case_table.h"
#include "tests/support/exported_module.h"
#include "tests/support/mutated_plugins.h"
#include "tools/parity/check/check_parity.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

std::string* family;

// The folder of this family with what its tests read.
std::string Testdata(const std::string& name) { return absl::StrCat("models/", name, "/testdata/"); }

int64_t Bytes(const fs::path& folder) {
  int64_t bytes = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) bytes += file.file_size();
  return bytes;
}

// The models to ask, in about the order of their cost.
std::vector<std::string> FindModels() {
  std::vector<std::pair<int64_t, std::string>> found;
  for (const std::string& goldens : FamilyFiles("goldens")) {
    for (const fs::directory_entry& model : fs::directory_iterator(goldens)) {
      found.emplace_back(Bytes(model.path()), model.path().filename());
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> models;
  for (auto& [bytes, model] : found) models.push_back(std::move(model));
  return models;
}

const std::vector<std::string>& Models() {
  static const auto* const models = new std::vector<std::string>(FindModels());
  return *models;
}

struct Slip {
  Mutation mutation;
  std::string finder;  // The model that is asked before the others.
  std::string unseen;  // Why parity names no module on any example of that model; empty: it does.
};

// "unseen: REASON" below a slip is about that one.
std::vector<Slip> Slips() {
  std::vector<Slip> slips;
  for (const Case& fields : ReadCaseTable(Testdata(*family) + "mutations.txt")) {
    size_t begun = slips.size();  // The slips up to the line.
    for (Mutation& mutation : MutationsOf(fields)) slips.push_back({std::move(mutation), Text(fields, "finder"), ""});
    std::string last;
    for (const auto& [name, text] : fields) {
      begun += name == "-" && last != "-";
      if (name == "unseen") slips[begun - 1].unseen = text;
      last = name;
    }
  }
  return slips;
}

// Threads slow tiny models down, above all on a busy machine, and to optimise a graph takes longer than to run it once.
class FastForTinyModels : public testing::Environment {
  void SetUp() override {
    at::set_num_threads(1);
    torch::jit::setGraphExecutorOptimize(false);
  }
};

const testing::Environment* const kFast = testing::AddGlobalTestEnvironment(new FastForTinyModels);

// The family whose module types a test model has.
const std::string& Family(const CatalogEntry& entry) { return entry.plugin->extends.front().family; }

absl::StatusOr<std::vector<std::string>> ConstantsComplaints(const CatalogEntry& entry) {
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  ASSIGN_OR_RETURN(const ConstantsTable constants, ReadConstantsTable(Testdata(Family(entry)) + "constants.txt"));
  return CheckConstants(tree, constants, entry.variant->name);
}

// One model of a registry and its exports. To make one takes as long as all else that is asked of a tiny model.
class AskedModel {
 public:
  AskedModel(const Registry& registry, CatalogEntry entry) : registry_(registry), entry_(std::move(entry)) {}

  const CatalogEntry& entry() const { return entry_; }

  // The artifact with the weights of `seed`, whose images are prepared within it or not.
  absl::StatusOr<torch::jit::Module> Export(uint64_t seed, bool with_preprocess) {
    const auto known = exports_.find({seed, with_preprocess});
    if (known != exports_.end()) return known->second;
    const auto change = [&](ExportOptions& options) { options.request.with_preprocess = with_preprocess; };
    ASSIGN_OR_RETURN(torch::jit::Module made, ExportSeeded(registry_, entry_.variant->name, seed, change));
    return exports_.emplace(std::make_pair(seed, with_preprocess), std::move(made)).first->second;
  }

 private:
  const Registry& registry_;
  const CatalogEntry entry_;
  std::map<std::pair<uint64_t, bool>, torch::jit::Module> exports_;
};

absl::StatusOr<AskedModel> Ask(const Registry& registry, const std::string& model) {
  ASSIGN_OR_RETURN(CatalogEntry entry, registry.Find(model));
  return AskedModel(registry, std::move(entry));
}

// The first golden case of a test model that is not reproduced; empty if all are. An error if the model cannot be
// exported: such a mutation shows nothing about the tests.
absl::StatusOr<std::vector<std::string>> GoldenComplaints(AskedModel& model) {
  const std::string& family = Family(model.entry());
  ASSIGN_OR_RETURN(const GoldenTable table, ReadGoldenTables({absl::StrCat("models/", family, "/stages.txt")}));
  ASSIGN_OR_RETURN(const std::vector<GoldenCase> cases,
                   ReadGoldenCases(absl::StrCat(Testdata(family), "goldens/", model.entry().variant->name)));
  std::vector<std::string> complaints;
  for (const GoldenCase& golden : cases) {
    ASSIGN_OR_RETURN(const torch::jit::Module module, model.Export(golden.seed, golden.with_preprocess));
    const auto results = CheckGolden(module, family, golden, table);
    if (!results.ok()) return std::vector<std::string>{absl::StrCat("cannot run: ", results.status().message())};
    for (const StageResult& result : *results) {
      if (!result.ok()) complaints.push_back(result.stage);
    }
    if (!complaints.empty()) break;
  }
  return complaints;
}

// The failures of one model: in its constants, which cost little, or else in its goldens.
absl::StatusOr<std::vector<std::string>> ComplaintsOf(AskedModel& model) {
  ASSIGN_OR_RETURN(std::vector<std::string> complaints, ConstantsComplaints(model.entry()));
  if (!complaints.empty()) return complaints;
  return GoldenComplaints(model);
}

// The built-in plugins with those below `plugin_path` of the family `changed` and of a test model. Linking all of them
// would take longer than asking the model.
absl::StatusOr<Registry> RegistryFor(const std::string& plugin_path, const std::string& changed,
                                     const std::string& model) {
  static const auto* const unchanged = new Registry(Registry::Load(BuiltInPlugins(), {"models"}).value());
  ASSIGN_OR_RETURN(const CatalogEntry known, unchanged->Find(model));
  const std::set<std::string> folders = {absl::StrCat(plugin_path, "/", changed),
                                         absl::StrCat(plugin_path, "/", Family(known))};
  return Registry::Load(BuiltInPlugins(), {folders.begin(), folders.end()});
}

// The failures of the first model that has some.
absl::StatusOr<std::vector<std::string>> Complaints(const std::string& plugin_path) {
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(BuiltInPlugins(), {plugin_path}));
  for (const std::string& name : Models()) {
    ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(name));
    ASSIGN_OR_RETURN(std::vector<std::string> complaints, ConstantsComplaints(entry));
    if (!complaints.empty()) return complaints;
  }
  for (const std::string& name : Models()) {
    ASSIGN_OR_RETURN(AskedModel model, Ask(registry, name));
    ASSIGN_OR_RETURN(std::vector<std::string> complaints, GoldenComplaints(model));
    if (!complaints.empty()) return complaints;
  }
  return std::vector<std::string>();
}

TEST(MutationTest, TheUnchangedTextFailsNoTest) {
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> complaints, Complaints("models"));
  EXPECT_THAT(complaints, testing::IsEmpty());
}

TEST(MutationTest, AMutationThatDoesNotCompileDoesNotCount) {
  const Mutation bad = {"layers/torch_nn.yaml", "torch.conv2d(x, self.weight, None,",
                        "torch.conv2d((x, self.weight, None,"};
  EXPECT_THAT(Complaints(MutatedModels(bad)), StatusIs(absl::StatusCode::kInvalidArgument, testing::_));
}

// The family of the file that a slip is in.
std::string Changed(const Mutation& mutation) { return mutation.file.substr(0, mutation.file.find('/')); }

// A model without a slip, and what it computes of each example.
struct RightModel {
  torch::jit::Module module;
  std::vector<Reference> references;
};

constexpr uint64_t kSeed = 0;  // Of the weights that parity is asked about, those of most goldens.

absl::StatusOr<RightModel> MakeRightModel(const std::string& model) {
  ASSIGN_OR_RETURN(const Registry registry, RegistryFor("models", *family, model));
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(model));
  ASSIGN_OR_RETURN(const torch::jit::Module module, ExportSeeded(registry, model, kSeed));
  ASSIGN_OR_RETURN(const std::vector<Call> examples, ExamplesOf(*entry.plugin, *entry.variant));
  const c10::InferenceMode inference;
  RightModel right = {module, {}};
  for (const Call& example : examples) {
    ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, ExampleInputs(module, example));
    ASSIGN_OR_RETURN(right.references.emplace_back(), RecordReference(module, example.type, inputs, "r", model));
  }
  return right;
}

const absl::StatusOr<RightModel>& FindRightModel(const std::string& model) {
  static auto* const models = new std::map<std::string, absl::StatusOr<RightModel>>();
  const auto [found, is_new] = models->emplace(model, absl::UnknownError(""));
  if (is_new) found->second = MakeRightModel(model);
  return found->second;
}

// The modules that parity names in `wrong` beside `reference`, which the right model made, in a bisect; nullopt if the
// model fails on this input, whose error names the line at fault. Where it names none, all tensors pass.
absl::StatusOr<absl::optional<std::set<std::string>>> NamedModules(const torch::jit::Module& wrong,
                                                                   const Reference& reference) {
  const auto forced = CompareReference(wrong, reference, {.lenient = true, .inject_all = true});
  if (absl::IsFailedPrecondition(forced.status()) &&
      absl::StrContains(forced.status().message(), "fails on these inputs")) {
    return absl::nullopt;
  }
  RETURN_IF_ERROR(forced.status());
  std::set<std::string> named;
  for (const Suspect& suspect :
       FindSuspects(*forced, CompareSettings(reference.settings, FindSettings(wrong)).differences)) {
    named.insert(suspect.path);
  }
  if (!named.empty()) return named;
  ASSIGN_OR_RETURN(const ReferenceComparison plain, CompareReference(wrong, reference, {.lenient = true}));
  for (const ComparedTensor& tensor : plain.tensors) EXPECT_TRUE(tensor.passed()) << tensor.name;
  return named;
}

// Asks parity about the slip: it names modules that the slip changed, and no other; on one of the model's examples it
// names some, or the table says why not.
void ExpectParityNamesNoInnocent(const RightModel& right, const torch::jit::Module& wrong, const std::string& unseen) {
  const std::set<std::string> different = DifferentModules(right.module, wrong);
  bool is_seen = false;
  for (const Reference& reference : right.references) {
    // The slip may be in what this artifact has not, such as the preparation of images.
    if (different.empty()) break;
    ASSERT_OK_AND_ASSIGN(const absl::optional<std::set<std::string>> named, NamedModules(wrong, reference));
    is_seen = !named || !named->empty();
    if (!named) continue;
    for (const std::string& path : *named) EXPECT_EQ(different.count(path), 1) << "\"" << path << "\"";
    if (is_seen) break;
  }
  EXPECT_EQ(is_seen, unseen.empty()) << (is_seen ? "is named, and the table says why not: " + unseen
                                                 : "is named on no example; the table wants `unseen`, the reason");
}

class MutationTest : public testing::TestWithParam<Slip> {};

TEST_P(MutationTest, FailsATestAndParityNamesItsModules) {
  const auto& [mutation, finder, unseen] = GetParam();
  SCOPED_TRACE(absl::StrCat(mutation.from, " -> ", mutation.to));
  const std::string plugin_path = MutatedModels(mutation);
  ASSERT_OK_AND_ASSIGN(const Registry registry, RegistryFor(plugin_path, Changed(mutation), finder));
  ASSERT_OK_AND_ASSIGN(AskedModel model, Ask(registry, finder));
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> complaints, ComplaintsOf(model));
  if (complaints.empty()) {
    ASSERT_OK_AND_ASSIGN(complaints, Complaints(plugin_path));
  }
  ASSERT_THAT(complaints, testing::Not(testing::IsEmpty()));
  std::printf("%s -> %s: %zu complaints, first: %s\n", mutation.from.c_str(), mutation.to.c_str(), complaints.size(),
              complaints.front().c_str());

  const absl::StatusOr<RightModel>& right = FindRightModel(finder);
  ASSERT_OK(right.status());
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module wrong, model.Export(kSeed, /*with_preprocess=*/false));
  ExpectParityNamesNoInnocent(*right, wrong, unseen);
}

INSTANTIATE_TEST_SUITE_P(Slips, MutationTest, testing::ValuesIn(Slips()));

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: mutation_test FAMILY\n");
    return 1;
  }
  // InitGoogleTest makes a test of each slip.
  modelport::family = new std::string(argv[1]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
