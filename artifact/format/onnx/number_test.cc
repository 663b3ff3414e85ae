#include "artifact/format/onnx/number.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport::onnx {
namespace {

const Number kH = Number::Symbol("H"), kW = Number::Symbol("W"), kB = Number::Symbol("B");

Number Int(int64_t value) { return Number(value); }

TEST(NumberTest, EqualSumsHaveEqualTexts) {
  EXPECT_EQ((kH * kW + Int(1)).text(), "1 + H*W");
  EXPECT_EQ((kW * kH + Int(3) - Int(2)).text(), "1 + H*W");
  EXPECT_EQ((kH * Int(2) + kH).text(), "3*H");
  EXPECT_EQ((kH - kH).text(), "0");
  EXPECT_EQ((Int(2) - kH * Int(3)).text(), "2 - 3*H");
}

TEST(NumberTest, DivisionsOfWhatDividesVanish) {
  EXPECT_EQ(FloorDiv(kH * Int(14), Int(14)).text(), "H");
  EXPECT_EQ(FloorDiv(kH * Int(14) + Int(30), Int(14)).text(), "2 + H");
  EXPECT_EQ(FloorDiv(kH * Int(14) - Int(1), Int(14)).text(), "-1 + H");
  EXPECT_EQ(Mod(kH * Int(14) + Int(30), Int(14)).text(), "2");
  EXPECT_EQ(Mod(kH * Int(14) - Int(1), Int(14)).text(), "13");
  EXPECT_EQ(FloorDiv(kH * kW, kW).text(), "H");
  EXPECT_EQ(FloorDiv(kH * Int(28), kH * Int(14)).text(), "2");
  EXPECT_EQ(FloorDiv(kB * kH * kW * Int(16) + kH * kW * Int(4), kH * kW * Int(4)).text(), "1 + 4*B");
  EXPECT_EQ(FloorDiv(kH, Int(14)).text(), "div(H, 14)");
  EXPECT_EQ(FloorDiv(Int(-3), Int(2)).text(), "-2");
  EXPECT_EQ(Mod(Int(-3), Int(2)).text(), "1");
}

TEST(NumberTest, SizesAreAtLeastOne) {
  EXPECT_EQ(Max(kH, Int(1)).text(), "H");
  EXPECT_EQ(Max(kH, Int(2)).text(), "max(H, 2)");
  EXPECT_EQ(Min(kH, kH + kW).text(), "H");
  EXPECT_EQ(Min(kH * Int(2), Int(2)).text(), "2");
  EXPECT_EQ(Min(kH, Max(kH, Int(2))).text(), "H");
  EXPECT_EQ(Min(Max(Int(2), kH), kH).text(), "H");
  EXPECT_EQ(Max(kH, Min(kH, Int(2))).text(), "H");
  EXPECT_EQ(Max(Min(Int(2), kH), kH).text(), "H");
  EXPECT_EQ(Min(kW, Max(kH, Int(2))).text(), "min(W, max(H, 2))");
  EXPECT_EQ(Less(Int(0), kH).text(), "true");
  EXPECT_EQ(Less(kH, Int(1)).text(), "false");
  EXPECT_EQ(Less(kH, Int(9)).text(), "less(H, 9)");
  EXPECT_EQ(Equal(kH + kW, kW).text(), "false");
  EXPECT_EQ(Equal(kH, kW).text(), "equal(H, W)");
}

TEST(NumberTest, AnArgumentMayBeAnyInteger) {
  const Number tokens = Number::Argument("num_tokens");
  EXPECT_EQ(Max(tokens, Int(1)).text(), "max(num_tokens, 1)");
  EXPECT_EQ(Equal(tokens, Int(0)).text(), "equal(num_tokens, 0)");
}

TEST(NumberTest, FloatsAreComputedWhereTheyAreKnown) {
  EXPECT_EQ(TrueDiv(Int(7), Int(2)).AsFloat(), 3.5);
  EXPECT_EQ((ToFloat(Int(2)) + Int(1)).AsFloat(), 3.0);
  EXPECT_EQ(TrueDiv(kH, Int(2)).text(), "ratio(float(H), 2f)");
  EXPECT_EQ((kH * Number(0.5)).type(), NumberType::kFloat);
}

TEST(NumberTest, ConditionsAreDecidedWhereTheyCanBe) {
  const Number is_square = Equal(kH, kW);
  EXPECT_EQ(And(is_square, Number(true)), is_square);
  EXPECT_EQ(And(is_square, Number(false)).AsBool(), false);
  EXPECT_EQ(Or(is_square, Number(true)).AsBool(), true);
  EXPECT_EQ(Not(Not(is_square)), is_square);
  EXPECT_EQ(Where(is_square, kH, kH), kH);
  EXPECT_EQ(Where(is_square, Number(true), Number(false)), is_square);
}

TEST(NumberTest, MultiplesAreFound) {
  EXPECT_EQ(Multiple(kH * Int(28), kH * Int(14)), 2);
  EXPECT_EQ(Multiple(kH * Int(4) + Int(8), kH + Int(2)), 4);
  EXPECT_EQ(Multiple(kH + Int(1), kH), absl::nullopt);
  EXPECT_EQ(Multiple(kH, kH * Int(2)), absl::nullopt);
}

TEST(FactsTest, ADivisibleSizeIsAMultipleOfAUnit) {
  Facts facts;
  facts.Assume(Equal(Mod(kH, Int(14)), Int(0)));
  EXPECT_EQ(facts.Apply(kH).text(), "14*h");
  EXPECT_EQ(facts.Apply(FloorDiv(kH, Int(14))).text(), "h");
  EXPECT_EQ(facts.Apply(FloorDiv(kH, Int(14)) * FloorDiv(kW, Int(14))).text(), "div(W, 14)*h");
}

TEST(FactsTest, AUnitIsNeverCalledAsAnotherSize) {
  Facts facts;
  facts.Keep("h");
  facts.Assume(Equal(Mod(kH, Int(14)), Int(0)));
  EXPECT_EQ(facts.Apply(kH).text(), "14*H_by_14");
}

TEST(FactsTest, TwoDivisorsOfOneSizeHaveTwoUnits) {
  Facts facts;
  facts.Assume(Equal(Mod(kH, Int(2)), Int(0)));
  facts.Assume(Equal(Mod(kH, Int(3)), Int(0)));
  EXPECT_EQ(facts.Apply(Mod(kH, Int(2))).text(), "0");
  EXPECT_EQ(facts.Apply(Mod(kH, Int(3))).text(), "0");
}

TEST(FactsTest, OfTwoEqualSumsOneIsTheOther) {
  Facts facts;
  facts.Assume(Equal(kH * Int(2) + Int(1), kW * Int(3) + Int(2)));
  EXPECT_EQ(facts.Apply(kH * Int(2) + Int(1)), facts.Apply(kW * Int(3) + Int(2)));
}

TEST(FactsTest, WhatEqualsANumberIsIt) {
  Facts facts;
  facts.Assume(And(Equal(Max(kH, Int(2)), Int(37)), Not(Or(Not(Equal(kB, Int(1))), Less(kW, Int(5))))));
  EXPECT_EQ(facts.Apply(Max(kH, Int(2)) * kB).text(), "37");
  EXPECT_EQ(facts.Apply(kW).text(), "W");
}

}  // namespace
}  // namespace modelport::onnx
