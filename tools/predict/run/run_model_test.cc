#include "tools/predict/run/run_model.h"

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::StartsWith;

// An artifact whose forward, of an image and maybe `more` arguments, wants more memory than any machine has.
LoadedArtifact Insatiable(const std::string& kind, const std::string& more = "") {
  LoadedArtifact artifact = {.path = "toy.pt", .module = std::make_shared<torch::jit::Module>("toy")};
  artifact.module->define("def forward(self, image" + more + "):\n  return torch.zeros([1152921504606846976])\n");
  artifact.manifest.mutable_interface()->set_kind(kind);
  Manifest::EntryPoint& forward = *artifact.manifest.add_entry_points();
  forward.set_method("forward");
  Manifest::Input& image = *forward.add_inputs();
  image.set_layout("NCHW");
  for (const char* size : {"B", "3", "H", "W"}) image.add_shape(size);
  return artifact;
}

absl::Status RunOnOnePixel(const LoadedArtifact& artifact) {
  const Image image = {1, 1, std::vector<uint8_t>{1, 2, 3}};
  return RunModel(artifact, {.images = {&image, 1}}).status();
}

// That a tensor of so many bytes cannot be had, with the line `cure`.
MATCHER_P(LacksMemory, cure, "") {
  return testing::ExplainMatchResult(
      StatusIs(absl::StatusCode::kResourceExhausted,
               AllOf(StartsWith("toy.pt: out of memory: one tensor wants "), EndsWith(std::string("\n  ") + cure))),
      arg, result_listener);
}

TEST(RunModelTest, WhereMemoryIsShortTheCureIsNamed) {
  EXPECT_THAT(RunOnOnePixel(Insatiable("depth")), LacksMemory("a smaller image takes less memory"));
  EXPECT_THAT(RunOnOnePixel(Insatiable("depth", ", side: int = 512")),
              LacksMemory("a smaller --size takes less memory"));
  EXPECT_THAT(RunOnOnePixel(Insatiable("colour")),
              LacksMemory("--tile takes the image in pieces, of which small ones take little memory"));
  LoadedArtifact node = Insatiable("depth");
  node.manifest.mutable_interface()->add_channels_in("rgba.red");
  EXPECT_THAT(RunOnOnePixel(node), LacksMemory("a smaller image takes less memory"));
  const std::vector<std::pair<std::string, std::string>> knobs = {{"max_size", "Memory grows with its square"},
                                                                  {"unit", "Of the depth"}};
  for (const auto& [name, help] : knobs) {
    Manifest::Knob& knob = *node.manifest.add_knobs();
    knob.set_name(name);
    knob.set_help(help);
  }
  EXPECT_THAT(RunOnOnePixel(node), LacksMemory("--knob of max_size may take less memory, as a smaller image does"));
}

}  // namespace
}  // namespace modelport
