#include "common/torchscript/lint/fact.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/torchscript/lint/rule_case.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

FixedOptionPtr Option(const std::string& value) {
  return std::make_shared<FixedOption>(FixedOption{.kind = FixedOption::Kind::kWritten, .value = value});
}

Fact FixedTo(const std::string& value) {
  Fact fact;
  fact.dtype.fixed = Option(value);
  return fact;
}

Fact Tuple(std::vector<FactPtr> elements) {
  Fact fact;
  fact.elements = std::move(elements);
  return fact;
}

TEST(FactPoolTest, EqualFactsAreOneObject) {
  FactPool pool;
  EXPECT_EQ(pool.Add(Fact()), pool.unknown());
  EXPECT_EQ(pool.Add(FixedTo("float32")), pool.Add(FixedTo("float32")));
  EXPECT_NE(pool.Add(FixedTo("float32")), pool.Add(FixedTo("float64")));
  EXPECT_EQ(pool.fixed_options().size(), 2);
  EXPECT_EQ(pool.Add(KnownFact("bilinear")), pool.Add(KnownFact(std::string("bilinear"))));
  EXPECT_NE(pool.Add(KnownFact("bilinear")), pool.Add(KnownFact("bicubic")));
  EXPECT_NE(pool.Add(KnownFact(1)), pool.Add(KnownFact(true)));
  EXPECT_NE(pool.Add(KnownFact({})), pool.unknown());
  const FactPtr a = pool.Add(KnownFact(1)), b = pool.Add(KnownFact(2));
  EXPECT_EQ(pool.Add(Tuple({a, b})), pool.Add(Tuple({a, b})));
  EXPECT_NE(pool.Add(Tuple({a, b})), pool.Add(Tuple({b, a})));
}

TEST(FactPoolTest, JoinsWhatIsKnown) {
  FactPool pool;
  Fact model;
  model.dtype.model = model.is_input = true;
  const FactPtr a = pool.Add(model), b = pool.Add(FixedTo("float32"));
  const FactPtr either = pool.Join(a, b);
  EXPECT_TRUE(either->dtype.model);
  EXPECT_EQ(either->dtype.fixed, b->dtype.fixed);
  EXPECT_TRUE(either->is_input);
  EXPECT_EQ(pool.Join(either, b), either);
  EXPECT_EQ(pool.Join(a, a), a);
  const FactPtr tuple = pool.Join(pool.Add(Tuple({a, b})), pool.Add(Tuple({b, b})));
  EXPECT_EQ(tuple, pool.Add(Tuple({either, b})));
  EXPECT_TRUE(pool.Join(tuple, pool.Add(Tuple({a})))->elements.empty());
}

TEST(FactPoolTest, AJoinKeepsAValueThatBothHave) {
  FactPool pool;
  const FactPtr one = pool.Add(KnownFact(1));
  Fact input = KnownFact(1);
  input.is_input = true;
  EXPECT_TRUE(pool.Join(one, pool.Add(input))->value.has_value());
  EXPECT_FALSE(pool.Join(one, pool.Add(KnownFact(2)))->value.has_value());
}

TEST(FactPoolTest, KeepsTheElementsOfATupleOfModestSize) {
  FactPool pool;
  FactPtr tuple = pool.Add(KnownFact(1));
  for (int i = 0; i < 8; ++i) tuple = pool.Add(Tuple({tuple, tuple}));
  EXPECT_EQ(tuple->elements.size(), 2);
  EXPECT_TRUE(pool.Add(Tuple({tuple, tuple}))->elements.empty());
  EXPECT_TRUE(pool.Add(Tuple(std::vector<FactPtr>(1000, pool.unknown())))->elements.empty());
}

}  // namespace
}  // namespace modelport
