#include "common/module_tree/check_types.h"

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

std::string NoFamily(absl::string_view) { return ""; }

TEST(CheckTypesTest, NamesMayBeArgumentsOrTypes) {
  ModuleLibrary library;
  ASSERT_OK(library.AddFile({"m.yaml", R"yaml(modules:
  Linear(inputs, outputs): {parameters: {weight: [outputs, inputs]}}
  Block(dim, ffn=Linear, hidden=4 * dim): {children: {mlp: "ffn(dim, hidden)", free: "ffn(dim)"}}
  Net(dim): {children: {block: "Block(dim, ffn=Linear)"}}
  Gated(ffn): {parameters: {gate: {shape: [1], when: ffn != Linear}}, constants: {plain: ffn == Linear}}
)yaml"}));
  EXPECT_OK(CheckTypes(library, NoFamily));
}

TEST(CheckTypesTest, ReportsProblemsThatAnyArgumentsWouldMeet) {
  ModuleLibrary library;
  ASSERT_OK(library.AddFile({"m.yaml", R"yaml(modules:
  Linear(inputs, outputs):
    parameters:
      weight: [output, inputs]
      bias: {shape: [outputs], when: biass}
  Block(dim, ffn=Linaer):
    constants: {kind: Linear}
    children:
      a: Linear(dim)
      b: Linear(dim, hidden=3)
      c: Liner(dim, dim)
      d:
        - repeat: depth
          module: Linear(dims, dim)
    parameters:
      w: {shape: [1], when: "ffn == Linaer and Linear"}
)yaml"}));
  EXPECT_THAT(CheckTypes(library, NoFamily),
              StatusIs(absl::StatusCode::kInvalidArgument, R"yaml(module types: 11 problems
  m.yaml:4:7: unknown name "output"; nearest: outputs
  m.yaml:5:7: unknown name "biass"; known: inputs, outputs
  m.yaml:6:3: unknown name "Linaer"; nearest: Linear
  m.yaml:7:17: unknown name "Linear"; known: dim, ffn
  m.yaml:9:10: Linear lacks argument "outputs"; the signature is Linear(inputs, outputs)
  m.yaml:10:10: Linear has no argument "hidden"; the signature is Linear(inputs, outputs)
  m.yaml:11:10: unknown module type "Liner"; nearest: Linear
  m.yaml:14:19: unknown name "depth"; known: dim, ffn
  m.yaml:14:19: unknown name "dims"; nearest: dim
  m.yaml:16:7: unknown name "Linaer"; nearest: Linear
  m.yaml:16:7: unknown name "Linear"; known: dim, ffn)yaml"));
}

TEST(CheckTypesTest, IncludedTypesAreNotCheckedAgain) {
  ModuleLibrary faulty, library;
  ASSERT_OK(faulty.AddFile({"m.yaml", "modules:\n  F(): {parameters: {w: [x]}}\n"}));
  ASSERT_OK(library.Include(faulty));
  EXPECT_OK(CheckTypes(library, NoFamily));
}

TEST(CheckTypesTest, ATypeOfAnotherFamilyIsNamedOnceWithThatFamily) {
  ModuleLibrary library;
  ASSERT_OK(library.AddFile({"m.yaml", "modules:\n  Net():\n    children: {a: Lent(), b: Lent(), c: Lost()}\n"}));
  const auto family_of = [](absl::string_view type) { return std::string(type == "Lent" ? "layers" : ""); };
  EXPECT_THAT(CheckTypes(library, family_of),
              StatusIs(absl::StatusCode::kInvalidArgument, R"yaml(module types: 2 problems
  m.yaml:3:19: unknown module type "Lent"; family layers has it: add layers to `uses` in plugin.yaml
  m.yaml:3:41: unknown module type "Lost"; known: Net)yaml"));
}

TEST(CheckTypesTest, ASingleLetterInAShapeOfAnEntryPointIsASymbol) {
  ModuleLibrary library;
  ASSERT_OK(library.AddFile({"m.yaml", R"yaml(modules:
  Net(dim):
    entry_points:
      forward:
        inputs: [{name: x, shape: [B, 2 * H, dim], size: B}]
        outputs: [{name: y, shape: [B, dims], max: dims}]
)yaml"}));
  EXPECT_THAT(CheckTypes(library, NoFamily),
              StatusIs(absl::StatusCode::kInvalidArgument, R"yaml(module types: 3 problems
  m.yaml:5:18: unknown name "B"; known: dim
  m.yaml:6:19: unknown name "dims"; nearest: dim
  m.yaml:6:19: unknown name "dims"; nearest: dim)yaml"));
}

}  // namespace
}  // namespace modelport
