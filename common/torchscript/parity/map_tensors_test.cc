#include "common/torchscript/parity/map_tensors.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros_like.h>

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

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

}  // namespace
}  // namespace modelport
