// The plugin of docs/plugins.md with random damage: loading it, building its models and running them ends, and every
// failure is an error that blames the plugin.
#include <ATen/ops/ones.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "artifact/build/build_artifact.h"
#include "artifact/build/target_tree.h"
#include "artifact/format/built_module.h"
#include "artifact/request/artifact_request.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/link_plugins.h"
#include "registry/plugin_folder.h"
#include "registry/toy_plugin.h"
#include "targets/targets.h"

namespace modelport {
namespace {

// Models with more weights than this are not built: this test is not about the machine's memory.
constexpr int64_t kMaxWeights = 1000000;

// Ones for each slot.
//   ResourceExhausted  there would be too many
absl::StatusOr<ArtifactWeights> MakeWeights(const TargetTree& tree) {
  int64_t count = 0;
  for (const Slot& slot : tree.whole->slots) count += *ElementCount(slot.shape);
  if (count > kMaxWeights) return absl::ResourceExhaustedError("too many weights for this test");
  ArtifactWeights weights;
  std::vector<at::Tensor>& tensors = weights.bound.emplace_back().tensors;
  for (const Slot& slot : tree.whole->slots) tensors.push_back(at::ones(slot.shape));
  return weights;
}

absl::Status BuildAndRun(const Plugin& plugin, const Variant& variant, const Target& target) {
  const ArtifactRequest request = {.entry = {&plugin, &variant}, .target = &target};
  ASSIGN_OR_RETURN(TargetTree tree, BuildTargetTree(request));
  absl::StatusOr<ArtifactWeights> weights = MakeWeights(tree);
  if (absl::IsResourceExhausted(weights.status())) return absl::OkStatus();
  RETURN_IF_ERROR(weights.status());
  ASSIGN_OR_RETURN(const Artifact artifact, BuildArtifact(request, {std::move(tree), *std::move(weights)}));
  for (const Call& example : artifact.examples) {
    ASSIGN_OR_RETURN(const c10::IValue output, RunExample(*artifact.built->module, example));
    RETURN_IF_ERROR(CompareValues(output, output, example.text).status());
  }
  return absl::OkStatus();
}

absl::Status LoadAndRun(const PluginFolder& toy) {
  std::vector<PluginFolder> folders;
  for (PluginFolder& folder : GroupByFolder(BuiltInPlugins().value())) {
    if (folder.path == "models/layers" || folder.path == "targets/nuke") folders.push_back(std::move(folder));
  }
  ASSIGN_OR_RETURN(const auto plugins, LinkPlugins(folders, {toy}));
  for (const auto& plugin : plugins) {
    for (const Variant& variant : plugin->variants) {
      for (const Target* target : Targets()) {
        RETURN_IF_ERROR(BuildAndRun(*plugin, variant, *target));
      }
    }
  }
  return absl::OkStatus();
}

TEST(DamagedPluginTest, UndamagedItRuns) { EXPECT_OK(LoadAndRun(ReadToyPlugin())); }

// Splits text into words, numbers, runs of spaces, and single other characters.
std::vector<std::string> Tokens(const std::string& text) {
  const auto kind = [](char c) { return absl::ascii_isalnum(c) || c == '_' ? 'a' : c == ' ' ? ' ' : '\0'; };
  std::vector<std::string> tokens;
  for (const char c : text) {
    const bool continues = !tokens.empty() && kind(c) != '\0' && kind(tokens.back()[0]) == kind(c);
    if (!continues) tokens.emplace_back();
    tokens.back() += c;
  }
  return tokens;
}

class Damage {
 public:
  explicit Damage(uint32_t seed) : random_(seed) {}

  // Damages one of the files in one to three places.
  void Apply(PluginFolder& folder) {
    std::string& text = folder.files[Below(folder.files.size())].text;
    std::vector<std::string> tokens = Tokens(text);
    for (size_t times = 1 + Below(3); times > 0; --times) DamageOne(tokens);
    text.clear();
    for (const std::string& token : tokens) text += token;
  }

 private:
  size_t Below(size_t end) { return random_() % end; }

  void DamageOne(std::vector<std::string>& tokens) {
    const size_t i = Below(tokens.size()), j = Below(tokens.size());
    switch (Below(6)) {
      case 0:
        tokens[i].clear();
        break;
      case 1:
        tokens[i] += tokens[i];
        break;
      case 2:
        std::swap(tokens[i], tokens[j]);
        break;
      case 3:
        tokens[i] = tokens[j];
        break;
      case 4:
        tokens[FindNumber(tokens, i)] = Number();
        break;
      default:
        tokens[i] += Run();
    }
  }

  // The next number behind `i`, or whatever is there.
  static size_t FindNumber(const std::vector<std::string>& tokens, size_t i) {
    for (size_t k = i; k < tokens.size(); ++k) {
      if (absl::ascii_isdigit(tokens[k][0])) return k;
    }
    return i;
  }

  std::string Number() {
    static constexpr const char* kNumbers[] = {"0",
                                               "-1",
                                               "1e308",
                                               "1000000000",
                                               "2147483648",
                                               "4294967296",
                                               "4611686018427387904",
                                               "9223372036854775807",
                                               "-9223372036854775807 - 1",
                                               "9223372036854775808"};
    return kNumbers[Below(std::size(kNumbers))];
  }

  // Very many brackets, signs or words.
  std::string Run() {
    static constexpr const char* kPieces[] = {"(", "[", "{", ")", "-", "not ", " + 1", ".t()", "a", "\n", "\n  - "};
    const std::string piece = kPieces[Below(std::size(kPieces))];
    std::string run;
    for (int i = 0; i < 20000; ++i) run += piece;
    return run;
  }

  std::mt19937 random_;
};

class DamagedPluginTest : public testing::TestWithParam<int> {};

TEST_P(DamagedPluginTest, IsAnErrorOfThePluginOrNone) {
  constexpr int kTimes = 100;
  for (int i = 0; i < kTimes; ++i) {
    PluginFolder toy = ReadToyPlugin();
    Damage(GetParam() * kTimes + i).Apply(toy);
    const absl::Status status = LoadAndRun(toy);
    if (status.ok()) continue;
    EXPECT_THAT(status.code(), testing::AnyOf(absl::StatusCode::kInvalidArgument, absl::StatusCode::kUnimplemented,
                                              absl::StatusCode::kResourceExhausted))
        << "damage " << i << ": " << status;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DamagedPluginTest, testing::Range(0, 4));

}  // namespace
}  // namespace modelport
