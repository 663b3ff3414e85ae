// Behaviour of Depth Anything 3 artifacts that callers rely on, beyond the values of the outputs.
#include <ATen/Parallel.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/eye.h>
#include <ATen/record_function.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "common/checkpoint/seeded.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/torch_status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/goldens/golden_case.h"
#include "tests/goldens/golden_check.h"
#include "tests/support/exported_module.h"

namespace modelport {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using torch::jit::Module;

using Outputs = c10::Dict<std::string, at::Tensor>;

at::Tensor Images(int64_t batch, int64_t views, int64_t height, int64_t width) {
  at::Tensor images = at::empty({batch, views, 3, height, width});
  SeededFill("input:image", 0, 0.0, 1.0, absl::MakeSpan(images.mutable_data_ptr<float>(), images.numel()));
  return images;
}

// forward's arguments by name; those left out have their defaults.
using Arguments = std::map<std::string, c10::IValue>;

absl::StatusOr<Outputs> TryForward(const Module& module, const Arguments& arguments) {
  GoldenCase call;
  call.arguments = arguments;
  return CatchTorch([&] {
    const c10::IValue result = module.get_method("forward")(ArgumentsByName(module, "forward", call));
    return c10::impl::toTypedDict<std::string, at::Tensor>(result.toGenericDict());
  });
}

Outputs Forward(const Module& module, const Arguments& arguments) {
  absl::StatusOr<Outputs> outputs = TryForward(module, arguments);
  EXPECT_THAT(outputs, IsOk());
  return *std::move(outputs);
}

std::vector<std::string> Names(const Outputs& outputs) {
  std::vector<std::string> names;
  for (const auto& entry : outputs) names.push_back(entry.key());
  return names;
}

class Da3BehaviourTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    torch::jit::setGraphExecutorOptimize(false);
    at::set_num_threads(1);
    absl::StatusOr<Registry> registry = Registry::Load(BuiltInPlugins(), {"models"});
    ASSERT_OK(registry);
    for (const char* name : {"tiny_any", "tiny_mono", "tiny_nested"}) {
      auto module = ExportSeeded(*registry, name, /*seed=*/name == std::string("tiny_nested") ? 19 : 0);
      ASSERT_OK(module);
      modules_->emplace(name, *std::move(module));
    }
  }

  static const Module& Get(const std::string& name) { return modules_->at(name); }

  static std::map<std::string, Module>* const modules_;
  const c10::InferenceMode inference_;
};

std::map<std::string, Module>* const Da3BehaviourTest::modules_ = new std::map<std::string, Module>();

TEST_F(Da3BehaviourTest, OutputsHaveUpstreamsNamesInUpstreamsOrder) {
  for (const char* model : {"tiny_any", "tiny_mono", "tiny_nested"}) {
    ASSERT_OK_AND_ASSIGN(const auto cases,
                         ReadGoldenCases(absl::StrCat("models/depth_anything_3/testdata/goldens/", model)));
    for (const GoldenCase& golden : cases) {
      std::vector<std::string> names;
      for (const GoldenStage& stage : golden.stages) {
        absl::string_view name = stage.name;
        if (absl::ConsumePrefix(&name, "out.")) names.emplace_back(name);
      }
      EXPECT_THAT(Names(Forward(Get(model), golden.arguments)), ElementsAreArray(names)) << golden.name;
    }
  }
}

// The model computes the positions of a view's tokens; upstream those of the tokens of all views.
TEST_F(Da3BehaviourTest, TokensHaveUpstreamsPositions) {
  const Module transformer = Get("tiny_any").attr("backbone").toModule().attr("pretrained").toModule();
  ASSERT_OK_AND_ASSIGN(const GoldenCase golden,
                       ReadGoldenCase("models/depth_anything_3/testdata/goldens/tiny_any/n3_28x42_stages.json"));
  const c10::IValue positions = transformer.get_method("prepare_rope")({int64_t{2}, int64_t{3}});
  const auto expect_positions = [&](const std::string& block, const at::Tensor& of_all_views) {
    EXPECT_TRUE(at::equal(golden.tensors.find(absl::StrCat("stage.blocks.", block, ".pos"))->second, of_all_views));
  };
  const at::Tensor within = positions.toTupleRef().elements()[0].toTensor();
  const at::Tensor across = positions.toTupleRef().elements()[1].toTensor();
  expect_positions("2", within.expand({3, -1, -1}));
  expect_positions("3", across.repeat({1, 3, 1}));
}

TEST_F(Da3BehaviourTest, AnUnsupportedCallIsAClearError) {
  const at::Tensor images = Images(1, 2, 28, 28), poses = at::eye(4).expand({1, 2, 4, 4});
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const Module small, ExportSeeded(registry, "da3_small", /*seed=*/0));
  const struct {
    const Module& module;
    Arguments arguments;
    std::string message;
  } cases[] = {
      {small, {{"x", images}, {"infer_gs", true}}, "no head for infer_gs"},
      {small, {{"x", images}, {"extrinsics", poses}}, "extrinsics and intrinsics are given together"},
      {small, {{"x", images}, {"ref_view_strategy", "best"}}, "ref_view_strategy must be first, middle,"},
      {small, {{"x", images}, {"export_feat_layers", std::vector<int64_t>{12}}}, "a block that does not exist"},
      {small, {{"x", images}, {"export_feat_layers", std::vector<int64_t>{3, 3}}}, "or one block twice"},
      {small, {{"x", images.slice(-1, 0, 20)}}, "multiples of the patch size, 14"},
      {small, {{"x", images[0]}}, "the input must be [batch, views, 3, height, width]"},
      {Get("tiny_mono"), {{"x", images[0]}}, "the input must be [batch, views, 3, height, width]"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(std::string(TryForward(c.module, c.arguments).status().message()), HasSubstr(c.message));
  }
}

absl::StatusOr<Module> ExportKept(const std::string& model, uint64_t seed, const std::vector<std::string>& outputs) {
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  return ExportSeeded(registry, model, seed, [&](ExportOptions& options) { options.request.outputs = outputs; });
}

TEST_F(Da3BehaviourTest, KeptOutputsEqualThoseOfTheWholeModel) {
  const std::vector<std::string> gaussians = {"gaussians.means", "gaussians.scales", "gaussians.rotations",
                                              "gaussians.harmonics", "gaussians.opacities"};
  std::vector<std::string> depth_and_gaussians = {"depth"};
  depth_and_gaussians.insert(depth_and_gaussians.end(), gaussians.begin(), gaussians.end());
  const at::Tensor images = Images(1, 3, 28, 42);
  const Arguments plain = {{"x", images}};
  const Arguments with_cameras = {
      {"x", images}, {"extrinsics", at::eye(4).expand({1, 3, 4, 4})}, {"intrinsics", at::eye(3).expand({1, 3, 3, 3})}};
  const Arguments with_gaussians = {{"x", images}, {"infer_gs", true}};
  const Arguments with_rays = {{"x", images}, {"use_ray_pose", true}};
  const struct {
    std::string model;
    uint64_t seed;
    std::vector<std::string> outputs;
    std::vector<Arguments> calls;
  } cases[] = {
      {"tiny_any", 0, {"depth"}, {plain, with_cameras}},
      {"tiny_any", 0, {"depth", "depth_conf"}, {plain}},
      {"tiny_any", 0, {"depth", "extrinsics", "intrinsics"}, {plain, with_rays}},
      {"tiny_any", 0, depth_and_gaussians, {with_gaussians}},
      {"tiny_nested", 19, {"depth", "depth_conf", "extrinsics", "intrinsics", "is_metric", "scale_factor"}, {plain}},
  };
  for (const auto& c : cases) {
    ASSERT_OK_AND_ASSIGN(const Module kept, ExportKept(c.model, c.seed, c.outputs));
    for (const Arguments& call : c.calls) {
      const Outputs outputs = Forward(kept, call), whole = Forward(Get(c.model), call);
      EXPECT_THAT(Names(outputs), ElementsAreArray(c.outputs)) << c.model;
      for (const std::string& name : c.outputs) EXPECT_TRUE(at::equal(outputs.at(name), whole.at(name))) << name;
    }
  }
}

TEST_F(Da3BehaviourTest, WhatIsLeftOutCannotBeAskedFor) {
  ASSERT_OK_AND_ASSIGN(const Module kept, ExportKept("tiny_any", 0, {"depth"}));
  const at::Tensor images = Images(1, 2, 28, 28);
  EXPECT_THAT(std::string(TryForward(kept, {{"x", images}, {"infer_gs", true}}).status().message()),
              HasSubstr("no head for infer_gs"));
  EXPECT_THAT(std::string(TryForward(kept, {{"x", images}, {"use_ray_pose", true}}).status().message()),
              HasSubstr("export it with the outputs extrinsics and intrinsics"));
}

// Upstream labels features by their position in the list, not by their block.
TEST_F(Da3BehaviourTest, FeaturesAreNamedAfterTheirBlocks) {
  const at::Tensor images = Images(1, 2, 28, 42);
  const Outputs both = Forward(Get("tiny_any"), {{"x", images}, {"export_feat_layers", std::vector<int64_t>{5, 1}}});
  for (const int64_t layer : {1, 5}) {
    const std::string name = absl::StrCat("aux.feat_layer_", layer);
    const Outputs one = Forward(Get("tiny_any"), {{"x", images}, {"export_feat_layers", std::vector<int64_t>{layer}}});
    EXPECT_TRUE(at::equal(both.at(name), one.at(name))) << name;
  }
}

void ExpectClose(const Outputs& actual, const Outputs& expected, const std::string& name) {
  EXPECT_TRUE(at::allclose(actual.at(name), expected.at(name), /*rtol=*/1e-4, /*atol=*/1e-4)) << name;
}

// Upstream's heads process views in chunks of eight and lose the batch entries of the other chunks.
TEST_F(Da3BehaviourTest, EntriesOfABatchOfManyViewsAreIndependent) {
  const at::Tensor images = Images(2, 9, 14, 28);
  const Outputs batch = Forward(Get("tiny_any"), {{"x", images}, {"infer_gs", true}});
  for (int64_t i = 0; i < 2; ++i) {
    const Outputs alone = Forward(Get("tiny_any"), {{"x", images.slice(0, i, i + 1)}, {"infer_gs", true}});
    Outputs part;
    for (const auto& entry : batch) part.insert(entry.key(), entry.value().slice(0, i, i + 1));
    for (const char* name : {"depth", "depth_conf", "extrinsics", "gaussians.scales", "gaussians.opacities"}) {
      ExpectClose(part, alone, name);
    }
  }
  const Module& mono = Get("tiny_mono");
  const at::Tensor flat = mono.get_method("process_depth_head")({images.reshape({18, 1, 3, 14, 28})})
                              .toGenericDict()
                              .at("depth")
                              .toTensor();
  const at::Tensor depth = mono.get_method("process_depth_head")({images}).toGenericDict().at("depth").toTensor();
  EXPECT_TRUE(at::allclose(depth.reshape({18, 14, 28}), flat.reshape({18, 14, 28}), 1e-4, 1e-4));
}

TEST_F(Da3BehaviourTest, GivenPosesMayLackTheirLastRow) {
  const GoldenCase golden = *ReadGoldenCase("models/depth_anything_3/testdata/goldens/tiny_any/n3_14x28_cams_gs.json");
  Arguments arguments = golden.arguments;
  const Outputs square = Forward(Get("tiny_any"), arguments);
  arguments["extrinsics"] = arguments["extrinsics"].toTensor().slice(2, 0, 3);
  const Outputs flat = Forward(Get("tiny_any"), arguments);
  for (const auto& entry : square) EXPECT_TRUE(at::equal(entry.value(), flat.at(entry.key()))) << entry.key();
}

TEST_F(Da3BehaviourTest, ForwardLeavesItsInputsAsTheyAre) {
  const GoldenCase golden = *ReadGoldenCase("models/depth_anything_3/testdata/goldens/tiny_any/n3_14x28_cams_gs.json");
  std::map<std::string, at::Tensor> before;
  for (const char* name : {"x", "extrinsics", "intrinsics"})
    before[name] = golden.arguments.at(name).toTensor().clone();
  Forward(Get("tiny_any"), golden.arguments);
  for (const auto& [name, tensor] : before)
    EXPECT_TRUE(at::equal(tensor, golden.arguments.at(name).toTensor())) << name;
}

TEST_F(Da3BehaviourTest, EveryPrecisionRunsAndCamerasStayPrecise) {
  const GoldenCase golden = *ReadGoldenCase("models/depth_anything_3/testdata/goldens/tiny_any/n3_14x28_cams_gs.json");
  for (const auto type : {at::kHalf, at::kBFloat16, at::kDouble}) {
    Module module = Get("tiny_any").deepcopy();
    module.to(type);
    Arguments arguments = golden.arguments;
    arguments["x"] = golden.input().to(type);
    if (type == at::kDouble) {
      for (const char* name : {"extrinsics", "intrinsics"}) arguments[name] = arguments[name].toTensor().to(type);
    }
    for (const bool use_ray_pose : {false, true}) {
      arguments["use_ray_pose"] = use_ray_pose;
      const Outputs outputs = Forward(module, arguments);
      EXPECT_EQ(outputs.at("depth").scalar_type(), type);
      EXPECT_EQ(outputs.at("intrinsics").scalar_type(), type == at::kDouble ? at::kDouble : at::kFloat);
      for (const auto& entry : outputs) EXPECT_TRUE(entry.value().isfinite().all().item<bool>()) << entry.key();
    }
  }
}

// Names of the operators that run during a call, once for each time.
class OperatorLog {
 public:
  OperatorLog()
      : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(&Record).scopes({at::RecordScope::FUNCTION}))) {
    names().clear();
  }
  ~OperatorLog() { at::removeCallback(handle_); }
  OperatorLog(const OperatorLog&) = delete;
  OperatorLog& operator=(const OperatorLog&) = delete;

  static std::vector<std::string>& names() {
    static auto* names = new std::vector<std::string>();
    return *names;
  }

 private:
  static std::unique_ptr<at::ObserverContext> Record(const at::RecordFunction& function) {
    names().emplace_back(function.name());
    return nullptr;
  }

  at::CallbackHandle handle_;
};

std::vector<std::string> Reordering(const std::vector<std::string>& operators) {
  std::vector<std::string> found;
  for (const std::string& name : operators) {
    for (const char* part :
         {"gather", "index", "sort", "topk", "scatter", "embedding", "nonzero", "masked", "flip", "roll"}) {
      if (name.find(part) != std::string::npos) found.push_back(name);
    }
  }
  return found;
}

TEST_F(Da3BehaviourTest, OneImageIsNeitherGatheredNorSortedNorReordered) {
  for (const bool is_reordered : {false, true}) {
    const at::Tensor images = Images(1, is_reordered ? 3 : 1, 28, 42);
    const OperatorLog log;
    Forward(Get("tiny_any"), {{"x", images}});
    EXPECT_GT(OperatorLog::names().size(), 20u);
    EXPECT_EQ(Reordering(OperatorLog::names()).empty(), !is_reordered)
        << testing::PrintToString(Reordering(OperatorLog::names()));
  }
}

TEST_F(Da3BehaviourTest, RaysAreComputedOnlyForCamerasFromRays) {
  const auto convolutions = [](bool use_ray_pose) {
    const at::Tensor images = Images(1, 1, 28, 42);
    const OperatorLog log;
    Forward(Get("tiny_any"), {{"x", images}, {"use_ray_pose", use_ray_pose}});
    return std::count(OperatorLog::names().begin(), OperatorLog::names().end(), "aten::conv2d");
  };
  // The rays' head: three blocks of five and one of three, five before and two after the last resize.
  EXPECT_EQ(convolutions(true) - convolutions(false), 3 * 5 + 3 + 5 + 2);
}

}  // namespace
}  // namespace modelport
