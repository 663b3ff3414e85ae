#include "common/torchscript/script/compile_message.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

const SourceText kSource = {"", "plugins/toy.yaml", 4, "toy.yaml"};

std::string Message(absl::string_view error) {
  return CompileMessage(kSource, "Toy", error, {{"drop_path", "window"}, {"gelu", "relu", "relu6", "softmax"}});
}

TEST(CompileMessageTest, PlaceAndCauseStandInTheFirstLineOnce) {
  EXPECT_EQ(Message("bad thing:\n  File \"toy.yaml\", line 7\ndef f(x):\n  x = y\n      ~ <--- HERE\n"),
            "plugins/toy.yaml:7: Toy does not compile: bad thing\n  def f(x):\n    x = y\n        ~ <--- HERE");
}

TEST(CompileMessageTest, APlaceElsewhereKeepsItsLine) {
  EXPECT_EQ(
      Message(
          "bad thing:\n  File \"layers.yaml\", line 7\nx = y\n'f' is called from\n  File \"toy.yaml\", line 8\nf()\n"),
      "plugins/toy.yaml:8: Toy does not compile: bad thing\n    File \"layers.yaml\", line 7\n  x = y\n  'f' is called "
      "from\n"
      "    File \"toy.yaml\", line 8\n  f()");
}

TEST(CompileMessageTest, WithoutAPlaceTheBlockIsNamed) {
  EXPECT_EQ(Message("the text is too long"), "plugins/toy.yaml:4: Toy does not compile: the text is too long");
}

TEST(CompileMessageTest, ClassesHaveThePluginsNames) {
  EXPECT_EQ(Message("no __torch__.modelport.Toy (of Python compilation unit at: 0x55d0) here"),
            "plugins/toy.yaml:4: Toy does not compile: no Toy here");
}

TEST(CompileMessageTest, UnknownNamesGetTheNearest) {
  EXPECT_EQ(Message("undefined value drop_pat:"),
            "plugins/toy.yaml:4: Toy does not compile: undefined name drop_pat; nearest: drop_path");
  EXPECT_EQ(Message("undefined value relu:"),
            "plugins/toy.yaml:4: Toy does not compile: undefined name relu; call torch.relu");
  EXPECT_EQ(Message("Unknown builtin op: aten::rellu.\nHere are some suggestions: \n\taten::relu\n"),
            "plugins/toy.yaml:4: Toy does not compile: torch.rellu is not available; nearest: torch.relu, torch.gelu, "
            "torch.relu6");
  EXPECT_EQ(Message("'Tensor' object has no attribute or method 'softmix'.:"),
            "plugins/toy.yaml:4: Toy does not compile: a Tensor has no attribute or method softmix; nearest: softmax");
}

TEST(CompileMessageTest, OneSignatureStandsWithTheCause) {
  EXPECT_EQ(
      Message("forward(__torch__.modelport.Conv2d self, Tensor x) -> Tensor:\nExpected at most 2 arguments.\n:\n"),
      "plugins/toy.yaml:4: Toy does not compile: Expected at most 2 arguments; the signature is "
      "Conv2d.forward(self, Tensor x) -> Tensor");
}

TEST(CompileMessageTest, SeveralSignaturesFollowTheUnderlinedText) {
  EXPECT_EQ(Message("Arguments for call are not valid.\nThe following variants are available:\n  \n"
                    "  aten::max(Tensor self) -> Tensor:\n  Too many.\n  \n"
                    "  aten::max.dim(Tensor self, int dim) -> (Tensor, Tensor):\n  Too few.\n  \n"
                    "  aten::max.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!):\n  Argument out not provided.\n\n"
                    "The original call is:\n  File \"toy.yaml\", line 7\ntorch.max(x, 1, 2, 3)\n~~~~ <--- HERE\n"),
            "plugins/toy.yaml:7: Toy does not compile: the arguments fit no signature of torch.max\n"
            "  torch.max(x, 1, 2, 3)\n  ~~~~ <--- HERE\n"
            "  aten::max(Tensor self) -> Tensor: Too many\n"
            "  aten::max.dim(Tensor self, int dim) -> (Tensor, Tensor): Too few");
}

TEST(WithPluginNamesTest, RemovesTheNamespaceOfEachClass) {
  EXPECT_EQ(WithPluginNames("wants __torch__.modelport.Conv2d, has __torch__.modelport.Linear"),
            "wants Conv2d, has Linear");
  EXPECT_EQ(WithPluginNames("__torch__.other.Conv2d"), "__torch__.other.Conv2d");
}

TEST(WithPluginNamesTest, RemovesTheAddressOfEachCompilationUnit) {
  EXPECT_EQ(WithPluginNames("A (of Python compilation unit at: 0x55d0) or B (of Python compilation unit at: 0x1)."),
            "A or B.");
  EXPECT_EQ(WithPluginNames("A (of Python compilation unit at: 0x55d0"), "A (of Python compilation unit at: 0x55d0");
}

}  // namespace

}  // namespace modelport
