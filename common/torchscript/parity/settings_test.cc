#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>

#include "common/torchscript/parity/reference.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using torch::jit::Module;

Module WithSettings() {
  Module norm("Norm");
  norm.register_attribute("eps", c10::FloatType::get(), 1e-6);
  norm.register_attribute("size", c10::ListType::ofInts(), std::vector<int64_t>{24, 2});
  norm.register_buffer("scale", at::ones({1}));
  Module outer("Outer");
  outer.register_module("norm", norm);
  outer.type()->addConstant("heads", 2);
  return outer;
}

TEST(FindSettingsTest, ConstantsAndAttributesThatAreNoTensors) {
  const Settings settings = FindSettings(WithSettings());
  EXPECT_EQ(settings.at("").at("heads").toInt(), 2);
  EXPECT_EQ(settings.at("norm").at("eps").toDouble(), 1e-6);
  EXPECT_EQ(settings.at("norm").count("scale"), 0);
  EXPECT_EQ(settings.at("").count("training"), 0);
}

TEST(CompareSettingsTest, ValuesAreComparedAndNotTheirTypes) {
  const Settings expected = {
      {"", {{"heads", 4}, {"name", "vit"}}},
      {"norm", {{"eps", 1e-5}, {"size", c10::ivalue::Tuple::create({24.0, 2})}, {"elementwise", true}}},
      {"other", {{"eps", 1}}}};
  const SettingsComparison comparison = CompareSettings(expected, FindSettings(WithSettings()));
  EXPECT_EQ(comparison.equal, 1);
  ASSERT_EQ(comparison.differences.size(), 2);
  EXPECT_EQ(comparison.differences[0].path, "");
  EXPECT_EQ(comparison.differences[0].name, "heads");
  EXPECT_EQ(comparison.differences[0].expected, "4");
  EXPECT_EQ(comparison.differences[0].actual, "2");
  EXPECT_EQ(comparison.differences[1].path, "norm");
  EXPECT_EQ(comparison.differences[1].expected, "1e-05");
}

TEST(CompareSettingsTest, ANumberEqualsAListOfIt) {
  const Settings tuple = {{"", {{"stride", c10::ivalue::Tuple::create({2, 2})}}}};
  EXPECT_EQ(CompareSettings(tuple, {{"", {{"stride", 2}}}}).equal, 1);
  EXPECT_EQ(CompareSettings(tuple, {{"", {{"stride", 3}}}}).equal, 0);
}

TEST(CompareSettingsTest, BooleansEqualTheIntegersThatHostsWant) {
  const Settings flags = {{"", {{"a", true}, {"b", false}, {"c", true}}}};
  const Settings own = {{"", {{"a", 1}, {"b", 0}, {"c", 0}}}};
  EXPECT_EQ(CompareSettings(flags, own).equal, 2);
}

}  // namespace
}  // namespace modelport
