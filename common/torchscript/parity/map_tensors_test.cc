#include "common/torchscript/parity/map_tensors.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/jit/api/module.h>

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using torch::jit::Module;

TEST(MapTensorsTest, ReplacesEachTensorAndNamesItsPlace) {
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("depth", at::ones({1}));
  dict.insert("aux.feat", at::ones({1}));
  const c10::IValue value =
      c10::ivalue::Tuple::create({dict, c10::List<at::Tensor>({at::ones({1}), at::ones({1})}), at::ones({1}), 5});
  std::vector<std::string> elements;
  const c10::IValue mapped = MapTensors(value, [&](const std::string& element, const at::Tensor& tensor) {
    elements.push_back(element);
    return at::zeros_like(tensor);
  });
  EXPECT_THAT(elements, testing::ElementsAre("0.depth", "0.aux.feat", "1.0", "1.1", "2"));
  const auto& items = mapped.toTupleRef().elements();
  EXPECT_EQ(items[0].toGenericDict().at("depth").toTensor().item<float>(), 0);
  EXPECT_EQ(items[1].toTensorVector()[1].item<float>(), 0);
  EXPECT_EQ(items[2].toTensor().item<float>(), 0);
  EXPECT_EQ(items[3].toInt(), 5);
  EXPECT_EQ(dict.at("depth").item<float>(), 1) << "the value itself stays as it is";
}

TEST(MapTensorsTest, ATensorIsTheElementWithoutAName) {
  MapTensors(at::ones({1}), [](const std::string& element, const at::Tensor& tensor) {
    EXPECT_EQ(element, "");
    return tensor;
  });
}

TEST(TypedCopyTest, FloatingTensorsOfEveryDepthGetTheDtypeAndTheModuleStaysAsItIs) {
  Module inner("Inner");
  inner.register_parameter("weight", at::full({2}, 3, at::kHalf), /*is_buffer=*/false);
  inner.register_buffer("count", at::full({}, 7, at::kLong));
  inner.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight + self.count\n");
  Module outer("Outer");
  outer.register_module("inner", inner);
  outer.register_buffer("scale", at::full({2}, 0.5));
  outer.define("def forward(self, x: Tensor) -> Tensor:\n  return self.inner.forward(x) * self.scale\n");

  Module copy = TypedCopy(outer, at::kDouble);
  EXPECT_EQ(copy.attr("scale").toTensor().scalar_type(), at::kDouble);
  const Module copied = copy.attr("inner").toModule();
  EXPECT_EQ(copied.attr("weight").toTensor().scalar_type(), at::kDouble);
  EXPECT_EQ(copied.attr("count").toTensor().scalar_type(), at::kLong);
  EXPECT_TRUE(copy.forward({at::ones({2}, at::kDouble)}).toTensor().equal(at::full({2}, 5, at::kDouble)));

  EXPECT_EQ(outer.attr("scale").toTensor().scalar_type(), at::kFloat);
  EXPECT_EQ(inner.attr("weight").toTensor().scalar_type(), at::kHalf);

  const Module partial = TypedCopy(outer, at::kDouble, [](absl::string_view path) { return path == "inner"; });
  EXPECT_EQ(partial.attr("scale").toTensor().scalar_type(), at::kDouble);
  EXPECT_EQ(partial.attr("inner").toModule().attr("weight").toTensor().scalar_type(), at::kHalf);
}

TEST(TypedCopyTest, FloatingTensorsInCollectionsGetTheDtype) {
  const c10::List<at::Tensor> list({at::ones({2}), at::ones({2}, at::kLong)});
  const std::vector<c10::IValue> copies = TypedCopy({list, 7}, at::kHalf);
  EXPECT_EQ(copies[0].toTensorVector()[0].scalar_type(), at::kHalf);
  EXPECT_EQ(copies[0].toTensorVector()[1].scalar_type(), at::kLong);
  EXPECT_EQ(copies[1].toInt(), 7);
}

}  // namespace

}  // namespace modelport
