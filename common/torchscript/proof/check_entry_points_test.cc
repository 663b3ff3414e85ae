#include "common/torchscript/proof/check_entry_points.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>

#include <limits>
#include <string>
#include <vector>

#include "common/expression/expression.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using torch::jit::Module;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

Module Net() {
  Module net("__torch__.modelport.Net");
  net.register_parameter("weight", at::ones({1}), /*is_buffer=*/false);
  net.define(R"(
    def forward(self, x: Tensor, half: bool = False) -> Tensor:
      return x[:, 0]

    def features(self, x: Tensor, more: List[int] = []) -> Dict[str, Tensor]:
      result = {"depth": x[:, 0]}
      for i in more:
        result["layer_" + str(i)] = x
      return result

    def layers(self, x: Tensor, flat: bool, token: bool) -> List[Tuple[Tensor, Tensor]]:
      features = x.flatten(2) if flat else x
      return [(features, x[:, :, 0, 0] if token else x[:, 0:0, 0, 0]), (features, x[:, :, 0, 0] if token else x[:, 0:0, 0, 0])]

    def names(self) -> List[str]:
      return ["a"]
  )");
  return net;
}

// A port of a tensor.
Port Tensor(const std::string& name, const std::vector<std::string>& sizes) {
  Port port;
  port.name = name;
  port.place = "m.yaml:3:" + name;
  port.shape.emplace();
  for (const std::string& size : sizes) port.shape->push_back(*Expression::Parse(size));
  return port;
}

Port Other(const std::string& name) {
  Port port = Tensor(name, {});
  port.shape.reset();
  return port;
}

Port With(Port port, const std::string& argument) {
  port.only_with = argument;
  return port;
}

Port Without(Port port, const std::string& argument) {
  port.only_without = argument;
  return port;
}

const Port kImage = Tensor("x", {"B", "3", "H", "W"});

EntryPoint Forward(const Port& depth) { return {"forward", {kImage, Other("half")}, {depth}, "m.yaml:2:5"}; }

EntryPoint Features() {
  return {"features",
          {kImage, Other("more")},
          {Tensor("depth", {"B", "H", "W"}), With(Tensor("layer_{I}", {"B", "3", "H", "W"}), "more")},
          "m.yaml:2:5"};
}

EntryPoint Layers() {
  return {"layers",
          {kImage, Other("flat"), Other("token")},
          {Without(Tensor("features", {"B", "3", "H", "W"}), "flat"),
           With(Tensor("features", {"B", "3", "H * W"}), "flat"), With(Tensor("token", {"B", "3"}), "token")},
          "m.yaml:2:5"};
}

// Calls the entry point and compares.
absl::Status Checked(const EntryPoint& entry_point, const std::vector<c10::IValue>& inputs) {
  const Module net = Net();
  EXPECT_OK(CheckEntryPoints(net, {entry_point}));
  return CheckResult(net, entry_point, "the call", inputs, net.get_method(entry_point.method)(inputs));
}

TEST(CheckEntryPointsTest, InputsAreTheArguments) {
  EntryPoint entry_point = Forward(Tensor("depth", {"B", "H", "W"}));
  EXPECT_OK(CheckEntryPoints(Net(), {entry_point}));
  entry_point.inputs.pop_back();
  EXPECT_THAT(
      CheckEntryPoints(Net(), {entry_point}),
      StatusIs(kInvalid,
               HasSubstr("m.yaml:2:5: entry point forward: field \"inputs\" wants the arguments x, half, has x")));
  entry_point.inputs.push_back(Tensor("half", {"B"}));
  EXPECT_THAT(CheckEntryPoints(Net(), {entry_point}),
              StatusIs(kInvalid, HasSubstr("m.yaml:3:half: entry point forward: argument half takes no tensor")));
  entry_point.method = "forwards";
  EXPECT_THAT(CheckEntryPoints(Net(), {entry_point}),
              StatusIs(kInvalid, HasSubstr("no such method; nearest: forward")));
  EXPECT_THAT(
      CheckEntryPoints(Net(), {Forward(With(Tensor("depth", {"B"}), "halve"))}),
      StatusIs(kInvalid, HasSubstr("m.yaml:3:depth: entry point forward: no argument \"halve\"; nearest: half")));
}

TEST(CheckEntryPointsTest, OutputsAreThePartsOfTheResult) {
  const auto places = [](const EntryPoint& entry_point) {
    const auto type = Net().get_method(entry_point.method).function().getSchema().returns()[0].type();
    return OutputPlaces(entry_point, *type).value_or(std::vector<std::string>());
  };
  EXPECT_THAT(places(Forward(Tensor("depth", {"B"}))), ElementsAre("result"));
  EXPECT_THAT(places(Features()), ElementsAre("result[\"depth\"]", "result[\"layer_{I}\"]"));
  EXPECT_THAT(places(Layers()), ElementsAre("result[i][0]", "result[i][0]", "result[i][1]"));
  EXPECT_THAT(places({"names", {}, {Other("names")}, ""}), ElementsAre("result"));

  EXPECT_THAT(
      CheckEntryPoints(Net(), {{"names", {}, {Tensor("names", {"B"})}, "m.yaml:2:5"}}),
      StatusIs(kInvalid, HasSubstr("m.yaml:3:names: entry point names: \"names\" has a shape but is no tensor in "
                                   "the result, which is List[str]")));
  EntryPoint fewer = Layers(), more = Forward(Tensor("depth", {"B"}));
  fewer.outputs.pop_back();
  EXPECT_THAT(CheckEntryPoints(Net(), {fewer}),
              StatusIs(kInvalid, HasSubstr("m.yaml:2:5: entry point layers: field \"outputs\" wants 2 parts")));
  more.outputs.push_back(Tensor("more", {"B"}));
  EXPECT_THAT(CheckEntryPoints(Net(), {more}), StatusIs(kInvalid, HasSubstr("\"more\" is not in the result")));
}

TEST(CheckResultTest, SizesAgreeWithTheInputs) {
  const at::Tensor x = at::ones({2, 3, 4, 5});
  EXPECT_OK(Checked(Forward(Tensor("depth", {"B", "H", "W"})), {x}));
  EXPECT_OK(Checked(Forward(Tensor("depth", {"B", "2 * H // 2", "P"})), {x}));
  EXPECT_THAT(
      Checked(Forward(Tensor("depth", {"B", "W", "H"})), {x}),
      StatusIs(kInvalid, HasSubstr("m.yaml:3:depth: entry point forward: \"depth\" of the call: wants [B, W, H] with "
                                   "B = 2, H = 4, W = 5, has [2, 4, 5]")));
  EXPECT_THAT(Checked(Forward(Tensor("depth", {"B", "1", "H", "W"})), {x}),
              StatusIs(kInvalid, HasSubstr("wants [B, 1, H, W] with")));
}

TEST(CheckResultTest, KeysAreThoseThatTheArgumentsAskFor) {
  const at::Tensor x = at::ones({2, 3, 4, 5});
  EXPECT_OK(Checked(Features(), {x}));
  EXPECT_OK(Checked(Features(), {x, c10::List<int64_t>({3, 11})}));
  EntryPoint always = Features();
  always.outputs[1].only_with = "";
  EXPECT_THAT(Checked(always, {x}), StatusIs(kInvalid, HasSubstr("\"layer_{I}\" of the call: is not in the result")));
  EntryPoint undeclared = Features();
  undeclared.outputs.pop_back();
  EXPECT_THAT(
      Checked(undeclared, {x, c10::List<int64_t>({3})}),
      StatusIs(kInvalid, HasSubstr("m.yaml:2:5: entry point features: no output \"layer_3\", which the call has")));
}

TEST(CheckResultTest, PartsOfItemsAreThoseThatTheArgumentsAskFor) {
  const at::Tensor x = at::ones({2, 3, 4, 5});
  for (const bool flat : {false, true}) {
    for (const bool token : {false, true}) EXPECT_OK(Checked(Layers(), {x, flat, token}));
  }
  EntryPoint swapped = Layers();
  std::swap(swapped.outputs[0].shape, swapped.outputs[1].shape);
  EXPECT_THAT(Checked(swapped, {x, true, true}), StatusIs(kInvalid, HasSubstr("wants [B, 3, H, W]")));
  EntryPoint inverted = Layers();
  inverted.outputs[2].only_with = "flat";
  EXPECT_THAT(Checked(inverted, {x, false, true}),
              StatusIs(kInvalid, HasSubstr("\"token\" of the call: wants an empty tensor")));
}

TEST(CheckResultTest, ValuesAreInRangeButForRounding) {
  Port depth = Tensor("depth", {"B", "H", "W"});
  depth.min = 0;
  depth.max = 80;
  const auto run = [&](float value) { return Checked(Forward(depth), {at::full({1, 3, 1, 1}, value)}); };
  EXPECT_OK(run(80.00001f));
  EXPECT_OK(run(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_OK(run(-std::numeric_limits<float>::infinity()));
  EXPECT_THAT(run(80.01f), StatusIs(kInvalid, HasSubstr("\"depth\" of the call: wants at most 80, has 80.01")));
  EXPECT_THAT(run(-1e-6f), StatusIs(kInvalid, HasSubstr("wants at least 0, has -")));
}

TEST(CheckResultTest, TheDTypeIsThatOfTheWeightsUnlessStated) {
  const at::Tensor x = at::ones({1, 3, 2, 2}, at::kDouble);
  EXPECT_THAT(Checked(Forward(Tensor("depth", {"B", "H", "W"})), {x}),
              StatusIs(kInvalid, HasSubstr("\"depth\" of the call: wants the dtype Float, has Double")));
  Port flags = Tensor("depth", {"B", "H", "W"});
  flags.dtype = "bool";
  EXPECT_OK(Checked(Forward(flags), {x.to(at::kBool)}));
}

}  // namespace
}  // namespace modelport
