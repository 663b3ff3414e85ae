// The tool parity: a model equals what it wrote itself, a model with a fault does not, and the fault is located.
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ParityTest : public testing::Test {
 protected:
  ParityTest() { WritePlugin("heads=2"); }

  // A plugin with a small transformer, which has the argument `heads`.
  void WritePlugin(const std::string& heads) {
    std::ofstream(folder_ + "/plugin.yaml")
        << "family: own\nsummary: s\nextends: " << ExampleFamily("depth")
        << "\nvariants: {ported: {summary: s, module: \""
        << absl::StrReplaceAll(ExampleModule("depth"), {{"heads=2", heads}}) << "\"}}\n";
  }

  ToolResult Parity(const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"--model=ported", "--plugin_path=.", "--weights=seeded"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return RunTool("parity", arguments, folder_);
  }

  void SaveStages() {
    const ToolResult saved = Parity({"--save_stages=r.safetensors"});
    ASSERT_EQ(saved.exit_status, 0) << saved.err;
    EXPECT_THAT(saved.out, HasSubstr(" tensors of ported in "));
  }

  const std::string folder_ = EmptyFolder("parity");
};

TEST_F(ParityTest, AModelEqualsWhatItWrote) {
  SaveStages();
  const ToolResult all = Parity({"--reference=r.safetensors", "--bisect", "--all"});
  EXPECT_EQ(all.exit_status, 0) << all.err;
  EXPECT_THAT(all.out, AllOf(HasSubstr("settings equal, 0 different\n"), HasSubstr("  passed   pretrained.blocks.0"),
                             HasSubstr("  passed   output "), Not(HasSubstr("FAILED")), HasSubstr("tensors pass\n"),
                             HasSubstr("wrong on right input: none\n")));
  const std::string few = Parity({"--reference=r.safetensors"}).out;
  EXPECT_THAT(few, AllOf(HasSubstr("  passed   output "), HasSubstr(", --all prints every one\n")));
  EXPECT_LT(2 * few.size(), all.out.size());
}

TEST_F(ParityTest, TheFirstStagesThatFailAreShown) {
  SaveStages();
  WritePlugin("heads=3");
  EXPECT_THAT(Parity({"--reference=r.safetensors"}).out,
              AllOf(HasSubstr("  FAILED   input of pretrained.blocks.0.attn.proj "), Not(HasSubstr("passed  ")),
                    HasSubstr("  FAILED   output "), Not(HasSubstr("FAILED   pretrained.blocks.1")),
                    HasSubstr("; above are the first that fail and the results, --all prints every one\n")));
}

TEST_F(ParityTest, ARunGoesOnFromAStage) {
  SaveStages();
  WritePlugin("heads=3");
  const ToolResult result = Parity({"--reference=r.safetensors", "--from_stage=pretrained.blocks.2", "--all"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("the model diverges at input of pretrained.blocks.2.attn.proj\n"));
  EXPECT_THAT(result.out, AllOf(HasSubstr("  passed   pretrained.blocks.2.norm1 "),
                                Not(HasSubstr(" pretrained.blocks.1 ")), Not(HasSubstr("not compared"))));
  EXPECT_THAT(Parity({"--reference=r.safetensors", "--from_stage=pretrained.blocks.9"}).err,
              HasSubstr("has no tensor of pretrained.blocks.9 to begin at; nearest: pretrained.blocks."));
}

TEST_F(ParityTest, TheSmallestModuleAtFaultRunsAlone) {
  SaveStages();
  const ToolResult none = Parity({"--reference=r.safetensors", "--reduce=alone"});
  EXPECT_EQ(none.exit_status, 0);
  EXPECT_THAT(none.err, HasSubstr("--reduce: no module is wrong"));
  WritePlugin("heads=3");
  const ToolResult result = Parity({"--reference=r.safetensors", "--reduce=alone"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("the smallest of them is pretrained.blocks.0.attn; alone, it diverges at "),
                    HasSubstr("//tools:parity -- --artifact="), HasSubstr("/pretrained.blocks.0.attn.pt ")));
  EXPECT_THAT(FileNames(folder_ + "/alone"),
              ElementsAre("pretrained.blocks.0.attn.pt", "pretrained.blocks.0.attn.safetensors"));
  const ToolResult alone = RunTool(
      "parity",
      {"--artifact=alone/pretrained.blocks.0.attn.pt", "--reference=alone/pretrained.blocks.0.attn.safetensors"},
      folder_);
  EXPECT_EQ(alone.exit_status, 1);
  EXPECT_THAT(alone.out, HasSubstr("  the model itself: heads is 3, the reference has 2\n"));
}

// The reference of a module that is the whole model names the files that --reduce writes.
TEST_F(ParityTest, AReferenceNamesNoFileElsewhere) {
  SaveStages();
  WritePlugin("heads=3");
  Parity({"--reference=r.safetensors", "--reduce=alone"});
  std::string reference = ReadFile(folder_ + "/alone/pretrained.blocks.0.attn.safetensors");
  const std::string model = R"("model":"ported )";
  ASSERT_THAT(reference, HasSubstr(model));
  std::ofstream(folder_ + "/hostile.safetensors", std::ios::binary)
      << absl::StrReplaceAll(reference, {{model, R"("model":"../out )"}});
  const ToolResult result = RunTool(
      "parity", {"--artifact=alone/pretrained.blocks.0.attn.pt", "--reference=hostile.safetensors", "--reduce=again"},
      folder_);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(FileNames(folder_ + "/again"),
              ElementsAre("_.._out_pretrained.blocks.0.attn.pt", "_.._out_pretrained.blocks.0.attn.safetensors"));
}

TEST_F(ParityTest, AnOutputThatIsAnInputIsRefused) {
  SaveStages();
  const std::string reference = ReadFile(folder_ + "/r.safetensors");
  for (const char* output : {"--save_stages=r.safetensors", "--html=r.safetensors", "--html=plugin.yaml"}) {
    EXPECT_THAT(Parity({"--reference=r.safetensors", output}).err,
                AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr(" itself; write to another file")))
        << output;
  }
  EXPECT_EQ(ReadFile(folder_ + "/r.safetensors"), reference);
  EXPECT_THAT(Parity({"--reference=r.safetensors", "--save_stages=one", "--html=./one"}).err,
              StartsWith("INVALID_ARGUMENT: --html=./one: is the file of --save_stages, too"));
  WritePlugin("heads=3");
  const std::string name = "pretrained.blocks.0.attn.safetensors";
  std::ofstream(folder_ + "/" + name, std::ios::binary) << reference;
  EXPECT_THAT(Parity({"--reference=" + name, "--reduce=."}).err, HasSubstr(name + " itself; write to another file"));
  EXPECT_EQ(ReadFile(folder_ + "/" + name), reference);
}

TEST_F(ParityTest, APageIsWritten) {
  SaveStages();
  WritePlugin("heads=3");
  EXPECT_EQ(Parity({"--reference=r.safetensors", "--bisect", "--html=page.html"}).exit_status, 1);
  EXPECT_THAT(ReadFile(folder_ + "/page.html"),
              AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("<code>pretrained.blocks.0.attn</code>"),
                    HasSubstr("data:image/png;base64,")));
}

TEST_F(ParityTest, NamesPairTheReferenceWithTheModel) {
  SaveStages();
  const std::string names =
      EmptyFolder("names") + "/names.yaml";  // In the folder of the plugin it would be a part of it.
  std::ofstream(names) << "modules: {depth_head: null}\nsettings: {heads: null}\n";
  WritePlugin("heads=3");
  EXPECT_THAT(Parity({"--reference=r.safetensors", "--names=" + names, "--all"}).out,
              AllOf(HasSubstr("  FAILED   pretrained.blocks.0 "), Not(HasSubstr("heads is 3")),
                    Not(HasSubstr(" depth_head.scratch"))));
  std::ofstream(names) << "modules: {deph_head: null}\n";
  EXPECT_THAT(Parity({"--reference=r.safetensors", "--names=" + names}).err,
              HasSubstr("names.yaml: the reference has no module deph_head; nearest: depth_head"));
}

TEST_F(ParityTest, AFaultIsLocated) {
  SaveStages();
  WritePlugin("heads=3");
  const ToolResult result = Parity({"--reference=r.safetensors", "--bisect"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("FAILED_PRECONDITION: "));
  EXPECT_THAT(result.err, HasSubstr("r.safetensors: the model diverges at input of pretrained.blocks.0.attn.proj\n"));
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("  pretrained.blocks.0.attn: heads is 3, the reference has 2\n"),
            HasSubstr("deepest module whose inputs agree and whose output does not: pretrained.blocks.0.attn\n"),
            HasSubstr("wrong on right input:\n  pretrained.blocks.0.attn\n"),
            HasSubstr("\n  pretrained.blocks.1.attn\n")));
}

TEST_F(ParityTest, AnInjectedStageIsRightAndSoIsWhatFollows) {
  SaveStages();
  WritePlugin("heads=3");
  std::string inject;
  std::vector<std::string> wrong;
  for (int i = 0; i < 4; ++i) {
    const std::string attn = absl::StrCat("pretrained.blocks.", i, ".attn");
    absl::StrAppend(&inject, i == 0 ? "--inject=" : ",", attn);
    for (const std::string& name : {"input of " + attn + ".proj", attn + ".proj", attn}) wrong.push_back(name);
  }
  const ToolResult result = Parity({"--reference=r.safetensors", "--json", inject});
  EXPECT_EQ(result.exit_status, 1) << "the attention itself still differs";
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["settings"]["different"].size(), 4);
  std::vector<std::string> failed;
  for (const auto& tensor : json["tensors"]) {
    if (!tensor["passed"]) failed.push_back(tensor["name"]);
  }
  EXPECT_EQ(failed, wrong);
}

TEST_F(ParityTest, TorchScriptIsAReferenceToo) {
  ASSERT_EQ(RunTool("export", {"--model=ported", "--plugin_path=.", "--weights=seeded", "--out=their.pt"}, folder_)
                .exit_status,
            0);
  EXPECT_EQ(Parity({"--reference=their.pt"}).exit_status, 0);
  WritePlugin("heads=3");
  EXPECT_THAT(Parity({"--reference=their.pt", "--bisect"}).out,
              HasSubstr("wrong on right input:\n  pretrained.blocks.0.attn\n"));
}

// The safetensors file `bytes` with `call` in its metadata.
std::string WithCall(const std::string& bytes, const std::string& call) {
  uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));
  auto header = nlohmann::json::parse(bytes.substr(sizeof(size), size));
  header["__metadata__"]["call"] = call;
  std::string text = header.dump();
  text.append(-text.size() % 8, ' ');
  const uint64_t written = text.size();
  return absl::StrCat(std::string(reinterpret_cast<const char*>(&written), sizeof(written)), text,
                      bytes.substr(sizeof(size) + size));
}

TEST_F(ParityTest, AReferenceSetsTheKnobsOfANode) {
  const auto parity = [&](const std::string& flag, const std::string& more = "--all") {
    return Parity({"--target=nuke", flag, more});
  };
  const ToolResult saved = parity("--save_stages=default.safetensors");
  ASSERT_EQ(saved.exit_status, 0) << saved.err;
  const std::string stages = ReadFile(folder_ + "/default.safetensors");
  const auto write = [&](const std::string& call) {
    std::ofstream(folder_ + "/changed.safetensors") << WithCall(stages, call);
  };
  write("{}");
  EXPECT_EQ(parity("--reference=changed.safetensors").exit_status, 0);
  write(R"({"knobs": {"normalise": 1}})");
  EXPECT_THAT(parity("--reference=changed.safetensors").err,
              HasSubstr("no knob normalise in the artifact; nearest: normalize"));
  // The node gives something else with the knob than it gave without.
  write(R"({"knobs": {"normalize": 1}})");
  const ToolResult changed = parity("--reference=changed.safetensors", "--save_stages=normalised.safetensors");
  EXPECT_THAT(changed.out, HasSubstr("FAILED   output "));
  // What it gave then tells of the knob.
  const ToolResult again = parity("--reference=normalised.safetensors");
  EXPECT_EQ(again.exit_status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("  passed   output "));
  // So does what a model gives that has the knob's value from the flag.
  ASSERT_EQ(parity("--save_stages=set.safetensors", "--knob=normalize=1").exit_status, 0);
  EXPECT_EQ(parity("--reference=set.safetensors").exit_status, 0);
}

TEST_F(ParityTest, WhereNoOperatorMakesANanThatIsSaid) {
  const ToolResult none = Parity({"--find_nan"});
  EXPECT_EQ(none.exit_status, 0);
  EXPECT_EQ(none.out, "ported: no operator makes a NaN or an infinity\n") << none.err;
}

TEST_F(ParityTest, WhatHalfPrecisionCostsIsPrinted) {
  const ToolResult result = Parity({"--precision=bfloat16", "--keep_error=1e-6"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(StartsWith("ported in bfloat16\n"), HasSubstr("  stage"), HasSubstr("relative loss"),
                                HasSubstr(" % of the weights in float32; found in ")));
  EXPECT_THAT(Parity({"--precision=bfloat16", "--keep_error=1000"}).out,
              HasSubstr("all may compute in bfloat16: error "));
  const ToolResult json = Parity({"--precision=bfloat16", "--keep_error=1000", "--json"});
  EXPECT_THAT(json.out, AllOf(StartsWith("{"), HasSubstr("\"dtype\": \"bfloat16\""), HasSubstr("\"losses\": [")));
  EXPECT_THAT(Parity({"--precision=bfloat16", "--keep_error=1000", "--all"}).out, Not(HasSubstr("--all prints them")));
  EXPECT_EQ(Parity({"--precision=int8"}).err, "INVALID_ARGUMENT: --precision=int8: wants float16 or bfloat16\n");
}

TEST_F(ParityTest, WhatIsMissingIsSaid) {
  EXPECT_THAT(Parity({}).err, StartsWith("INVALID_ARGUMENT: --reference is missing"));
  EXPECT_EQ(Parity({"--reduce=alone"}).err, "INVALID_ARGUMENT: --reduce changes nothing without --reference\n");
  EXPECT_EQ(Parity({"--bisect"}).err, "INVALID_ARGUMENT: --bisect changes nothing without --reference\n");
  EXPECT_EQ(Parity({"--artifact=a.pt", "--reference=r"}).err,
            "INVALID_ARGUMENT: --artifact and --model do not go together: an artifact is compared as it is\n");
  for (const std::string flag : {"target=nuke", "knob=normalize=1"}) {
    EXPECT_THAT(RunWarmTool("parity", {"--artifact=a.pt", "--reference=r", "--" + flag}, folder_).err,
                HasSubstr(" do not go together: "))
        << flag;
  }
  SaveStages();
  EXPECT_THAT(Parity({"--reference=r.safetensors", "--inject=pretrained.blocks.9"}).err,
              HasSubstr("has no tensor of pretrained.blocks.9 to inject; nearest: pretrained.blocks."));
  EXPECT_THAT(Parity({"--reference=absent.safetensors"}).err, StartsWith("NOT_FOUND: "));
}

}  // namespace
}  // namespace modelport
