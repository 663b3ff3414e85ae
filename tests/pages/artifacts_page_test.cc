// docs/artifacts.md has the entry points of an artifact of every kind of model. What stands between
//   <!-- entry points of MODEL [FLAG] -->
//   <!-- end -->
// is made from the plugins; FLAG is --with_preprocess or --target=nuke.
#include <ATen/ops/empty.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "artifact/build/build_artifact.h"
#include "artifact/request/artifact_request.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest.pb.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

const std::string kBegin = "<!-- entry points of ", kEnd = "<!-- end -->";

// The manifest's entry points of an artifact, whose weights are not made.
absl::StatusOr<Manifest> Describe(const CatalogEntry& entry, absl::string_view flag) {
  ASSIGN_OR_RETURN(const Target* target, FindTarget(flag == "--target=nuke" ? "nuke" : "libtorch"));
  const ArtifactRequest request = {.entry = entry, .target = target, .with_preprocess = flag == "--with_preprocess"};
  ASSIGN_OR_RETURN(TargetTree tree, BuildTargetTree(request));
  ArtifactWeights weights;
  std::vector<at::Tensor>& tensors = weights.bound.emplace_back().tensors;
  for (const Slot& slot : tree.whole->slots) tensors.push_back(at::empty(slot.shape, at::device(at::kMeta)));
  ASSIGN_OR_RETURN(Artifact artifact, BuildArtifact(request, {std::move(tree), std::move(weights)}));
  ASSIGN_OR_RETURN(FormattedArtifact formatted, FormatArtifact(request, std::move(artifact)));
  return std::move(formatted.manifest);
}

std::string Cell(const std::string& text) { return absl::StrReplaceAll(text, {{"|", "\\|"}}); }

std::string Tables(const Manifest& manifest) {
  std::string text;
  for (const Manifest::EntryPoint& entry_point : manifest.entry_points()) {
    absl::StrAppend(&text, "\n`", EntryPointSignature(entry_point), "`\n\n| | | |\n|:--|:--|:--|\n");
    for (const Manifest::Input& input : entry_point.inputs()) {
      absl::StrAppend(&text, "| in | `", input.name(), "` | ", Cell(InputText(input)), " |\n");
    }
    for (const Manifest::Result& output : entry_point.outputs()) {
      const bool is_key = absl::StrContains(output.place(), output.name());
      absl::StrAppend(&text, "| out | `", output.place(), "`", is_key ? "" : absl::StrCat(", ", output.name()), " | ",
                      Cell(OutputText(output)), " |\n");
    }
  }
  return absl::StrCat(text, "\n");
}

class ArtifactsPageTest : public testing::Test {
 protected:
  void SetUp() override {
    auto registry = Registry::Load(BuiltInPlugins(), {});
    ASSERT_OK(registry);
    registry_ = std::make_unique<Registry>(*std::move(registry));
  }

  std::unique_ptr<Registry> registry_;
  const std::string page_ = ReadFile(DataPath("docs/artifacts.md"));
};

TEST_F(ArtifactsPageTest, HasTheEntryPoints) {
  std::string made, rest = page_;
  std::set<std::string> roots;
  for (size_t begin; (begin = rest.find(kBegin)) != rest.npos;) {
    const size_t line_end = rest.find(" -->", begin), end = rest.find(kEnd, begin);
    ASSERT_LT(line_end, end);
    const std::vector<std::string> words =
        absl::StrSplit(rest.substr(begin + kBegin.size(), line_end - begin - kBegin.size()), ' ');
    ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry_->Find(words[0]));
    ASSERT_OK_AND_ASSIGN(const Manifest manifest, Describe(entry, words.size() > 1 ? words[1] : ""));
    EXPECT_GT(manifest.entry_points_size(), 0) << words[0];
    roots.insert(words.size() > 1 ? absl::StrCat(entry.variant->module.type, " ", words[1])
                                  : entry.variant->module.type);
    absl::StrAppend(&made, rest.substr(0, line_end), " -->\n", Tables(manifest), kEnd);
    rest = rest.substr(end + kEnd.size());
  }
  absl::StrAppend(&made, rest);
  EXPECT_TRUE(made == page_) << "docs/artifacts.md is out of date; write\n" << made;
  for (const CatalogEntry& entry : registry_->catalog()) {
    const std::string& root = entry.variant->module.type;
    EXPECT_EQ(roots.count(root), 1u) << root;
    EXPECT_EQ(roots.count(absl::StrCat(root, " --with_preprocess")), 1u) << root;
  }
}

}  // namespace
}  // namespace modelport
