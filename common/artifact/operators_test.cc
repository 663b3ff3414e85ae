#include "common/artifact/operators.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using torch::jit::Module;

Module MakeModule(const std::string& code) {
  Module module("Tiny");
  module.define(code);
  return module;
}

// "module: call" of every call, in order.
std::vector<std::string> Calls(const Module& module) {
  std::vector<std::string> calls;
  for (const Operator& op : CollectOperators(module)) {
    for (const OperatorCall& call : op.calls) calls.push_back(call.module + ": " + call.text);
  }
  return calls;
}

TEST(CollectOperatorsTest, LeavesOutTrailingDefaultsAndNamesKeywords) {
  const Module module = MakeModule(R"(
    def forward(self, x):
        x = torch.add(x, x)
        x = torch.add(x, x, alpha=2)
        x = torch.relu(x)
        return x[0:2]
  )");
  EXPECT_THAT(Calls(module), ElementsAre(": aten::add(Tensor, Tensor)", ": aten::add(Tensor, Tensor, alpha=int)",
                                         ": aten::relu(Tensor)", ": aten::slice(Tensor, int, int, int)"));
}

TEST(CollectOperatorsTest, ListsEveryCallOnce) {
  const Module module = MakeModule(R"(
    def forward(self, x):
        return torch.relu(torch.relu(x))
  )");
  EXPECT_THAT(Calls(module), ElementsAre(": aten::relu(Tensor)"));
}

TEST(CollectOperatorsTest, LooksIntoBlocks) {
  const Module module = MakeModule(R"(
    def forward(self, x, deep: bool):
        for i in range(3):
            if deep:
                x = torch.relu(x)
        return x
  )");
  EXPECT_THAT(Calls(module), ElementsAre(": aten::relu(Tensor)"));
}

TEST(CollectOperatorsTest, NamesTheModule) {
  Module block("Block"), tiny("Tiny");
  block.define("def forward(self, x): return torch.relu(x)\n");
  tiny.register_module("block", block);
  tiny.define("def forward(self, x): return self.block.forward(torch.neg(x))\n");
  EXPECT_THAT(Calls(tiny), ElementsAre(": aten::neg(Tensor)", "block: aten::relu(Tensor)"));
}

TEST(CollectOperatorsTest, LooksIntoEveryMethod) {
  const Module module = MakeModule(R"(
    def forward(self, x):
        return x
    def features(self, x):
        return torch.neg(x)
  )");
  EXPECT_THAT(Calls(module), ElementsAre(": aten::neg(Tensor)"));
}

TEST(CollectOperatorsTest, FindsNoOperatorInSyntax) {
  const Module module = MakeModule(R"(
    def forward(self, x):
        return [x], (x, 1, None)
  )");
  EXPECT_THAT(Calls(module), IsEmpty());
}

TEST(CollectOperatorsTest, FindsTheSameInTheArchive) {
  const Module module = MakeModule(R"(
    def forward(self, x, scale: Optional[float] = None):
        size = [x.size(2), x.size(3)]
        if scale is not None:
            size = [int(float(s) * scale) for s in size]
        return torch.upsample_bilinear2d(x[:, :, ::2], size, False, None)
  )");
  std::stringstream archive;
  module.save(archive);
  EXPECT_EQ(Calls(torch::jit::load(archive)), Calls(module));
}

TEST(CollectOperatorsTest, StatesOverloadAndVersion) {
  const std::vector<Operator> operators = CollectOperators(MakeModule(R"(
    def forward(self, x):
        return torch.gelu(x) + 1.0
  )"));
  ASSERT_EQ(operators.size(), 2);
  EXPECT_EQ(operators[0].name, "aten::add");
  EXPECT_EQ(operators[0].overload, "Scalar");
  EXPECT_EQ(operators[0].version, 0);
  EXPECT_EQ(operators[1].name, "aten::gelu");
  EXPECT_EQ(operators[1].overload, "");
  EXPECT_EQ(operators[1].version, 10);
}

}  // namespace
}  // namespace modelport
