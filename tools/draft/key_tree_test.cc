#include "tools/draft/key_tree.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

absl::StatusOr<KeyTree> Group(const std::vector<std::string>& keys) {
  std::vector<SourceKey> sources;
  for (const std::string& key : keys) sources.push_back({key, nullptr});
  return GroupKeys(sources);
}

// "weight blocks[0(w) 2(w)] head(weight)": tensors, then children; items in brackets.
std::string Describe(const KeyNode& node) {
  std::vector<std::string> members;
  for (const KeyNode::Tensor& tensor : node.tensors) members.push_back(tensor.name);
  for (const auto& child : node.children) {
    members.push_back(
        absl::StrCat(child->name, child->is_list ? "[" : "(", Describe(*child), child->is_list ? "]" : ")"));
  }
  return absl::StrJoin(members, " ");
}

std::vector<std::string> Renames(const KeyTree& tree) {
  std::vector<std::string> renames;
  for (const auto& [from, to] : tree.renames) renames.push_back(absl::StrCat(from, " -> ", to));
  return renames;
}

TEST(KeyTreeTest, GroupsByDotsInFileOrder) {
  ASSERT_OK_AND_ASSIGN(const KeyTree tree, Group({"head.weight", "cls", "attn.qkv.weight", "head.bias", "attn.scale"}));
  EXPECT_EQ(Describe(tree.root), "cls head(weight bias) attn(scale qkv(weight))");
  EXPECT_THAT(Renames(tree), IsEmpty());
  EXPECT_FALSE(tree.renamed.has_value());
}

TEST(KeyTreeTest, ItemsOfAListAreInTheOrderOfTheirIndices) {
  ASSERT_OK_AND_ASSIGN(const KeyTree tree, Group({"b.10.w", "b.2.w", "b.0.1.w", "b.0.0.w"}));
  EXPECT_EQ(Describe(tree.root), "b[0[0(w) 1(w)] 2(w) 10(w)]");
}

TEST(KeyTreeTest, NumbersThatAreNoItemsBecomeNames) {
  // A tensor, a module beside a name, an index with a zero in front, and one that no list has.
  ASSERT_OK_AND_ASSIGN(const KeyTree tree, Group({"p.0", "q.0.w", "q.norm.w", "r.01.w", "s.10000.w"}));
  EXPECT_EQ(Describe(tree.root), "p(_0) q(_0(w) norm(w)) r(_01(w)) s(_10000(w))");
  EXPECT_THAT(Renames(tree), ElementsAre("p.0 -> p._0", "q.0.{rest*} -> q._0.{rest*}", "r.01.{rest*} -> r._01.{rest*}",
                                         "s.10000.{rest*} -> s._10000.{rest*}"));
  EXPECT_EQ(tree.renamed, std::make_pair(std::string("p.0"), std::string("p._0")));
}

TEST(KeyTreeTest, ARootOfItemsGetsAList) {
  ASSERT_OK_AND_ASSIGN(const KeyTree tree, Group({"0.weight", "2.weight"}));
  EXPECT_EQ(Describe(tree.root), "layers[0(weight) 2(weight)]");
  EXPECT_THAT(Renames(tree), ElementsAre("{i}.{rest*} -> layers.{i}.{rest*}"));
}

TEST(KeyTreeTest, NamesThatNoMemberHasAreReplaced) {
  ASSERT_OK_AND_ASSIGN(const KeyTree tree, Group({"in.w", "a-b.1x1.w", "forward.w", "training", "__x.w"}));
  EXPECT_EQ(Describe(tree.root), "training_ in_(w) a_b(_1x1(w)) forward_(w) m__x(w)");
  EXPECT_THAT(Renames(tree), ElementsAre("in.{rest*} -> in_.{rest*}", "a-b.{rest*} -> a_b.{rest*}",
                                         "forward.{rest*} -> forward_.{rest*}", "__x.{rest*} -> m__x.{rest*}",
                                         "training -> training_", "a_b.1x1.{rest*} -> a_b._1x1.{rest*}"));
}

TEST(KeyTreeTest, ReplacementsAreUnique) {
  ASSERT_OK_AND_ASSIGN(const KeyTree tree, Group({"in.w", "in_.w", "x", "x.w", "a-b.w", "a+b.w"}));
  EXPECT_EQ(Describe(tree.root), "x_2 in__2(w) in_(w) x(w) a_b(w) a_b_2(w)");
}

TEST(KeyTreeTest, OneRenameServesAllItemsOfLists) {
  ASSERT_OK_AND_ASSIGN(const KeyTree tree, Group({"b.0.c.0.in.w", "b.0.c.1.in.w", "b.1.c.0.in.w"}));
  EXPECT_THAT(Renames(tree), ElementsAre("b.{i}.c.{i2}.in.{rest*} -> b.{i}.c.{i2}.in_.{rest*}"));
}

struct BadKeys {
  std::string name;
  std::vector<std::string> keys;
  std::string error;
};

std::ostream& operator<<(std::ostream& out, const BadKeys& bad) { return out << bad.name; }

class BadKeysTest : public testing::TestWithParam<BadKeys> {};

TEST_P(BadKeysTest, AreAnError) {
  EXPECT_THAT(Group(GetParam().keys), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(GetParam().error)));
}

// `count` times `part`, with dots between.
std::string Dotted(size_t count, const std::string& part) {
  return absl::StrJoin(std::vector<std::string>(count, part), ".");
}

std::vector<std::string> ManyBadNames() {
  std::vector<std::string> keys;
  for (int i = 0; i < 101; ++i) keys.push_back(absl::StrCat("x-", i, ".w"));
  return keys;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadKeysTest,
    testing::Values(BadKeys{"Empty", {""}, "key \"\" has an empty part between dots; rename it in the file"},
                    BadKeys{"EmptyPart", {"a..w"}, "has an empty part"},
                    BadKeys{"DotInFront", {".w"}, "has an empty part"},
                    BadKeys{"DotBehind", {"a."}, "has an empty part"}, BadKeys{"Brace", {"{a}.w"}, "has a brace"},
                    BadKeys{"Deep", {Dotted(51, "a")}, "has 51 parts between dots, more than 50"},
                    BadKeys{"VeryDeep", {Dotted(10'000, "a")}, "has 10000 parts"},
                    BadKeys{"ManyBadNames", ManyBadNames(),
                            "more than 100 names that no member of a module can have: x-0.{rest*}"}),
    [](const auto& info) { return info.param.name; });

TEST(KeyTreeTest, FiftyPartsAreTaken) { EXPECT_OK(Group({Dotted(50, "a")})); }

}  // namespace
}  // namespace modelport
