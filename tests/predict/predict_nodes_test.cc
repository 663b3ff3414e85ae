// predict with artifacts for hosts: knobs, and what an ONNX file takes. What each node gives is in tests/families.

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"
#include "tools/image/testing/read_exr.h"
#include "tools/image/testing/sample_images.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string FolderWithPicture(const std::string& name) {
  const std::string folder = EmptyFolder(name);
  std::ofstream(folder + "/photo.png", std::ios::binary) << MakePng({.width = 40, .height = 30});
  return folder;
}

ToolResult Export(const std::string& folder, const std::vector<std::string>& more,
                  const std::string& model = DepthModel()) {
  std::vector<std::string> flags = {"--model=" + model, "--weights=seeded", "--plugin_path=" + DataPath("models")};
  flags.insert(flags.end(), more.begin(), more.end());
  return RunWarmTool("export", flags, folder);
}

ToolResult Predict(const std::string& folder, const std::string& artifact, const std::vector<std::string>& more,
                   const std::map<std::string, std::string>& variables = {}) {
  std::vector<std::string> flags = {"--artifact=" + artifact, "--input=photo.png"};
  flags.insert(flags.end(), more.begin(), more.end());
  return RunWarmTool("predict", flags, folder, variables);
}

TEST(PredictNodesTest, KnobsChangeWhatItGives) {
  const std::string folder = FolderWithPicture("knobs");
  ASSERT_EQ(Export(folder, {"--target=nuke", "--out=m.pt", "--noverify"}).exit_status, 0);
  ASSERT_EQ(Predict(folder, "m.pt", {"--knob=normalize=1", "--out=out.exr"}).exit_status, 0);
  const ExrContent exr = ReadExr(folder + "/out.exr");
  const auto [least, most] = std::minmax_element(exr.channels.at("depth.Z").begin(), exr.channels.at("depth.Z").end());
  EXPECT_EQ(*least, 0);
  EXPECT_EQ(*most, 1);
  EXPECT_EQ(exr.texts.at("modelport/unit"), "as the knobs make it");
  ASSERT_EQ(Predict(folder, "m.pt", {"--knob=normalize=0", "--out=same.exr"}).exit_status, 0);
  EXPECT_THAT(ReadExr(folder + "/same.exr").texts.at("modelport/unit"), HasSubstr("larger is nearer"));

  const auto error = [&](const std::string& knob) { return Predict(folder, "m.pt", {knob, "--out=x.exr"}).err; };
  EXPECT_THAT(error("--knob=normalise=1"), HasSubstr("m.pt: --knob=normalise=1: no such knob; nearest: normalize"));
  EXPECT_THAT(error("--knob=normalize=2"), HasSubstr("--knob=normalize=2: wants an integer from 0 to 1"));
  EXPECT_THAT(error("--knob=max_size=0.5"), HasSubstr("--knob=max_size=0.5: wants an integer from 0 to 4096"));
  EXPECT_THAT(error("--size=56"), HasSubstr("has no choice of a size but what --knob sets of max_size, convention"));
  EXPECT_THAT(error("--knob=1"), HasSubstr("--knob=1: wants numbers by the names of knobs"));
  EXPECT_THAT(error("--knob=max_size=64,normalize=on"), HasSubstr("; \"normalize=on\" is none"));
  EXPECT_THAT(error("--knob=normalize=1,normalize=0"), HasSubstr("; \"normalize=0\" is there twice"));
  EXPECT_THAT(
      RunWarmTool("predict", {"--model=m", "--knob=normalize=1", "--input=photo.png", "--out=x.exr"}, folder).err,
      HasSubstr("--knob changes nothing without --artifact"));
}

TEST(PredictNodesTest, ATrimapIsInThePlatesAlpha) {
  const std::string folder = FolderWithPicture("alpha");
  std::vector<float> plate, thrice;
  for (int i = 0; i < 3 * 40 * 30; ++i) plate.push_back(i % 97 / 97.0f);
  for (int i = 0; i < 3 * 40 * 30; ++i) thrice.push_back(i % 40 < 10 ? 0 : i % 40 < 30 ? 0.5f : 1);
  plate.insert(plate.end(), thrice.begin(), thrice.begin() + 40 * 30);
  std::ofstream(folder + "/plate.exr") << MakeExr(
      {.width = 40, .height = 30, .channels = {"R", "G", "B", "A"}, .values = plate});
  std::ofstream(folder + "/trimap.exr") << MakeExr({.width = 40, .height = 30, .values = thrice});
  ASSERT_EQ(Export(folder, {"--target=nuke", "--out=m.pt", "--noverify"}, ExampleModel("matte")).exit_status, 0);
  const auto matte = [&](const std::vector<std::string>& more) {
    std::vector<std::string> flags = {"--artifact=m.pt", "--input=plate.exr", "--out=matte.exr"};
    flags.insert(flags.end(), more.begin(), more.end());
    const ToolResult result = RunWarmTool("predict", flags, folder);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return ReadExr(folder + "/matte.exr").channels.at("A");
  };
  const std::vector<float> own = matte({}), given = matte({"--trimap=trimap.exr"});
  ASSERT_EQ(own.size(), 40 * 30);
  // The numbers of grey went to sRGB and back.
  for (size_t i = 0; i < own.size(); ++i) ASSERT_NEAR(own[i], given[i], 1e-5);
  EXPECT_NE(own, matte({"--knob=edge_inside=4"}));
  EXPECT_EQ(Predict(folder, "m.pt", {"--out=x.exr"}).err,
            "INVALID_ARGUMENT: photo.png: has no alpha to take the trimap from; give --trimap another file, grey or "
            "with the trimap in alpha\n");
}

TEST(PredictNodesTest, AnOnnxFileSaysWhatItTakes) {
  const std::string folder = FolderWithPicture("fixed");
  ASSERT_EQ(Export(folder, {"--target=flame", "--sizes=H=31,W=45", "--knob=normalize=1", "--out=m.onnx"}).exit_status,
            0);
  const auto error = [&](const std::vector<std::string>& flags,
                         const std::map<std::string, std::string>& variables = {}) {
    const ToolResult result = Predict(folder, "m.onnx", flags, variables);
    EXPECT_EQ(result.exit_status, 1);
    return result.err;
  };
  EXPECT_THAT(error({"--out=x.exr"}), HasSubstr("m.onnx: takes images of 45 x 31, and this one has 40 x 30"));
  EXPECT_THAT(error({"--out=x.exr", "--knob=normalize=0"}), HasSubstr("knobs are constants in an ONNX file"));
  EXPECT_THAT(error({"--out=x.exr"}, {{"MODELPORT_OPENVINO", folder}}),
              AllOf(HasSubstr("ONNX files run in OpenVINO"), HasSubstr("--config=onnx"), Not(HasSubstr("--noverify"))));

  std::ofstream(folder + "/m.onnx", std::ios::binary | std::ios::app) << "\x3a";
  EXPECT_THAT(error({"--out=x.exr"}), HasSubstr("m.onnx: is damaged, or no ONNX file"));
}

TEST(PredictNodesTest, AFileForProgramsTakesNoImages) {
  const std::string folder = FolderWithPicture("programs");
  ASSERT_EQ(Export(folder, {"--target=onnx", "--out=m.onnx", "--noverify"}).exit_status, 0);
  const ToolResult result = Predict(folder, "m.onnx", {"--out=x.exr"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("m.onnx: takes prepared tensors, not images"), HasSubstr("--with_preprocess")));
}

TEST(PredictNodesTest, AnOnnxFileThatPreparesImagesGivesWhatTheArtifactGives) {
  const std::string folder = FolderWithPicture("prepares");
  const std::vector<std::vector<std::string>> files = {{"--out=m.pt"},
                                                       {"--target=onnx", "--sizes=B=1,H=30,W=40", "--out=m.onnx"}};
  std::vector<std::vector<float>> depths;
  for (std::vector<std::string> flags : files) {
    const std::string file = flags.back().substr(sizeof("--out=") - 1);
    flags.insert(flags.end(), {"--with_preprocess", "--noverify"});
    const ToolResult exported = Export(folder, flags);
    ASSERT_EQ(exported.exit_status, 0) << exported.err;
    const ToolResult result = Predict(folder, file, {"--out=" + file + ".exr"});
    ASSERT_EQ(result.exit_status, 0) << result.err;
    depths.push_back(ReadExr(folder + "/" + file + ".exr").channels.at("depth.Z"));
  }
  const auto [least, most] = std::minmax_element(depths[0].begin(), depths[0].end());
  ASSERT_LT(*least, *most);
  EXPECT_THAT(depths[1], testing::Pointwise(testing::FloatNear(1e-4f * (*most - *least)), depths[0]));
}

TEST(PredictNodesTest, AnOnnxFileDrawsFeaturesByTheMethodThatGivesThem) {
  const std::string folder = FolderWithPicture("features");
  const auto predict = [&](const std::vector<std::string>& more) {
    std::vector<std::string> flags = {"--target=onnx", "--with_preprocess", "--sizes=B=1,H=30,W=40", "--noverify",
                                      "--out=m.onnx"};
    flags.insert(flags.end(), more.begin(), more.end());
    const ToolResult exported = Export(folder, flags, ExampleModel("features"));
    EXPECT_EQ(exported.exit_status, 0) << exported.err;
    return Predict(folder, "m.onnx", {"--out=x.png"});
  };
  const ToolResult refused = predict({});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("m.onnx: an ONNX file holds one method, and "),
                                 HasSubstr(" gives pictures by image_features\n  export it with --with_preprocess "
                                           "--method=image_features, or take the .pt file")));
  const ToolResult drawn = predict({"--method=image_features"});
  EXPECT_EQ(drawn.exit_status, 0) << drawn.err;
}

}  // namespace
}  // namespace modelport
