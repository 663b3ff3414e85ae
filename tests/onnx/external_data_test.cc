// ONNX files whose weights lie in a data file: every tool takes the two as one artifact, and refuses the one without
// the other, with another in its place, or with another name in it.
#include <ATen/TensorOperators.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "artifact/format/onnx/openvino.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"
#include "tools/image/testing/sample_images.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> kFiles = {"m.onnx", "m.onnx.data", "m.onnx.manifest.json"};

std::string KeyFlag(const std::string& name) { return "--key=" + DataPath("tests/signatures/" + name); }

ToolResult RunIn(const std::string& folder, const std::string& tool, std::vector<std::string> flags) {
  if (tool != "sign") flags.push_back(ExamplePlugins({"depth"}));
  return RunWarmTool(tool, flags, folder);
}

std::vector<std::string> ExportFlags(const std::vector<std::string>& more) {
  std::vector<std::string> flags = {"--model=" + DepthModel(), "--weights=seeded", "--target=onnx", "--out=m.onnx"};
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

void Export(const std::string& folder, const std::vector<std::string>& more) {
  const ToolResult result = RunIn(folder, "export", ExportFlags(more));
  ASSERT_EQ(result.exit_status, 0) << result.err;
}

// A folder with the files of an export for this target, and photo.png.
class Exported {
 public:
  explicit Exported(const std::string& target = "onnx", const std::string& seed = "0",
                    const std::string& folder = "external")
      : folder_(EmptyFolder(folder)) {
    Export(folder_, {"--external_data", "--target=" + target, "--weights=seeded:" + seed});
  }

  const std::string& folder() const { return folder_; }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::string Bytes(const std::string& name) const { return ReadFile(Path(name)); }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
  }
  // Replaces each `from` in the file by `to`, which is as long.
  void Replace(const std::string& name, const std::string& from, const std::string& to) const {
    std::string bytes = Bytes(name);
    size_t place = bytes.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    for (; place != std::string::npos; place = bytes.find(from, place)) bytes.replace(place, from.size(), to);
    Write(name, bytes);
  }
  ToolResult Run(const std::string& tool, const std::vector<std::string>& flags) const {
    return RunIn(folder_, tool, flags);
  }
  ToolResult Predict(const std::vector<std::string>& more = {}) const {
    Write("photo.png", MakePng({.width = 28, .height = 28}));
    std::vector<std::string> flags = {"--artifact=m.onnx", "--input=photo.png", "--out=depth.exr"};
    flags.insert(flags.end(), more.begin(), more.end());
    return RunWarmTool("predict", flags, folder_);
  }

  // Expects that all tools refuse the artifact with this message.
  void ExpectRefused(const testing::Matcher<std::string>& message) const {
    for (const ToolResult& result : {Run("verify", {"m.onnx"}), Run("inspect", {"--artifact=m.onnx"}),
                                     Run("diff", {"m.onnx", "m.onnx"}), Predict()}) {
      EXPECT_EQ(result.exit_status, 1);
      EXPECT_THAT(result.err, message);
    }
  }

 private:
  const std::string folder_;
};

TEST(ExternalDataTest, ItIsMadeAndVerifiedAsOneArtifact) {
  const Exported exported;
  EXPECT_EQ(FileNames(exported.folder()), kFiles);
  const nlohmann::json manifest = nlohmann::json::parse(exported.Bytes("m.onnx.manifest.json"));
  EXPECT_EQ(manifest["request"]["external_data"], true);
  EXPECT_EQ(manifest["artifact"]["data"]["name"], "m.onnx.data");
  EXPECT_EQ(manifest["artifact"]["data"]["size_bytes"], exported.Bytes("m.onnx.data").size());
  EXPECT_EQ(manifest["round_trip"]["proven"], true);
  const ToolResult verified = exported.Run("verify", {"m.onnx"});
  ASSERT_EQ(verified.exit_status, 0) << verified.err;
  EXPECT_THAT(verified.out, AllOf(HasSubstr("reached      code"), HasSubstr("loads in OpenVINO "),
                                  HasSubstr("tensors bitwise equal"), Not(HasSubstr("not checked"))));
  // The manifest in it says as much.
  fs::remove(exported.Path("m.onnx.manifest.json"));
  EXPECT_EQ(exported.Run("verify", {"m.onnx"}).exit_status, 0);
}

// The file lacks a tensor that no code uses, so that it tells nothing of the weights without the checkpoint.
TEST(ExternalDataTest, DamageIsToldAlsoWithoutTheCheckpoint) {
  const std::string folder = EmptyFolder("damaged");
  const ToolResult exported =
      RunIn(folder, "export",
            {"--model=" + DepthModel(), "--target=onnx", "--external_data", "--noverify",
             "--checkpoint=" + DataPath("tests/checkpoints/" + DepthModel() + ".safetensors"), "--out=m.onnx"});
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  EXPECT_THAT(RunIn(folder, "verify", {"m.onnx"}).err, HasSubstr("holds only the tensors that its code uses"));
  std::string bytes = ReadFile(folder + "/m.onnx.data");
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(folder + "/m.onnx.data", std::ios::binary) << bytes;
  EXPECT_THAT(RunIn(folder, "verify", {"m.onnx"}).err, StartsWith("DATA_LOSS: "));
}

TEST(ExternalDataTest, EqualExportsAreEqualBytes) {
  const Exported one, other("onnx", "0", "other");
  for (const std::string& name : kFiles) EXPECT_EQ(one.Bytes(name), other.Bytes(name));
}

// OpenVINO finds the data file by what the file says of it, and so do other runtimes.
TEST(ExternalDataTest, ItIsTheFileThatHasItsWeightsItself) {
  const Exported external;
  const std::string folder = EmptyFolder("whole");
  Export(folder, {"--noverify"});
  EXPECT_THAT(FileNames(folder), ElementsAre("m.onnx", "m.onnx.manifest.json"));
  EXPECT_LT(fs::file_size(external.Path("m.onnx")), fs::file_size(folder + "/m.onnx"));
  const nlohmann::json manifest = nlohmann::json::parse(ReadFile(folder + "/m.onnx.manifest.json"));
  EXPECT_EQ(manifest["request"]["external_data"], false);
  const std::string input = manifest["entry_points"][0]["inputs"][0]["name"];
  const std::string output = manifest["entry_points"][0]["outputs"][0]["name"];
  const at::Tensor image = at::linspace(0, 1, 3 * 28 * 28).reshape({1, 3, 28, 28});
  std::vector<at::Tensor> results;
  for (const std::string& path : {external.Path("m.onnx"), folder + "/m.onnx"}) {
    ASSERT_OK_AND_ASSIGN(const onnx::OpenVinoModel model, onnx::OpenVinoModel::Load(path));
    ASSERT_OK_AND_ASSIGN(const std::vector<at::Tensor> given, model.Run({{input, image}}, {output}));
    results.push_back(given[0]);
  }
  EXPECT_LE((results[0] - results[1]).abs().max().item<double>(), 1e-6 * results[1].abs().max().item<double>());
}

TEST(ExternalDataTest, ToolsReadIt) {
  const Exported exported("houdini");
  const ToolResult inspected = exported.Run("inspect", {"--artifact=m.onnx"});
  ASSERT_EQ(inspected.exit_status, 0) << inspected.err;
  EXPECT_THAT(inspected.out, HasSubstr("\ndata      m.onnx.data, "));
  const ToolResult same = exported.Run("diff", {"m.onnx", "m.onnx"});
  EXPECT_EQ(same.exit_status, 0) << same.err << same.out;
  fs::create_directory(exported.Path("other"));
  Export(exported.Path("other"), {"--external_data", "--target=houdini", "--weights=seeded:1", "--noverify"});
  const ToolResult diff = exported.Run("diff", {"m.onnx", "other/m.onnx"});
  EXPECT_EQ(diff.exit_status, 1);
  EXPECT_THAT(diff.out, HasSubstr("patch_embed.proj.weight: max "));
  const ToolResult predicted = exported.Predict();
  ASSERT_EQ(predicted.exit_status, 0) << predicted.err;
  EXPECT_TRUE(fs::exists(exported.Path("depth.exr")));
}

TEST(ExternalDataTest, AnotherDataFileIsRefused) {
  const Exported exported("houdini"), other("houdini", "1", "other");
  const std::string right = exported.Bytes("m.onnx.data");
  exported.Write("m.onnx.data", other.Bytes("m.onnx.data"));
  EXPECT_THAT(exported.Predict().err,
              AllOf(StartsWith("DATA_LOSS: "), HasSubstr("m.onnx.data: is not the data file that"),
                    HasSubstr("\n  copy all files of one export")));
  EXPECT_THAT(exported.Run("inspect", {"--artifact=m.onnx"}).err,
              AllOf(HasSubstr("m.onnx.manifest.json: describes another file"), HasSubstr("that of "),
                    HasSubstr("m.onnx.data is ")));
  EXPECT_THAT(exported.Run("verify", {"m.onnx"}).err, HasSubstr("m.onnx: the initializer "));
  EXPECT_THAT(exported.Run("verify", {"m.onnx", "--at_least=file"}).exit_status, 1);
  // A byte between two tensors, which no runtime reads.
  std::string altered = right;
  const size_t padding = altered.find(std::string(64, '\0'));
  ASSERT_NE(padding, std::string::npos);
  altered[padding + 32] = 1;
  exported.Write("m.onnx.data", altered);
  EXPECT_THAT(exported.Run("verify", {"m.onnx"}).err, StartsWith("DATA_LOSS: "));
  exported.Write("m.onnx.data", right + "x");
  EXPECT_THAT(exported.Run("verify", {"m.onnx"}).err, HasSubstr("m.onnx.data: from byte "));
  exported.Write("m.onnx.data", right);
  EXPECT_EQ(exported.Run("verify", {"m.onnx"}).exit_status, 0);
}

TEST(ExternalDataTest, AMissingDataFileIsNamedWithItsCure) {
  const Exported exported("houdini");
  fs::rename(exported.Path("m.onnx.data"), exported.Path("n.onnx.data"));
  exported.ExpectRefused(AllOf(StartsWith("NOT_FOUND: "), HasSubstr("m.onnx.data: no such file, and "),
                               HasSubstr("m.onnx has its weights there\n  put it there again, or export")));
}

TEST(ExternalDataTest, ATruncatedDataFileIsNamedWithItsCure) {
  const Exported exported("houdini");
  fs::resize_file(exported.Path("m.onnx.data"), fs::file_size(exported.Path("m.onnx.data")) - 1);
  exported.ExpectRefused(AllOf(StartsWith("DATA_LOSS: "), HasSubstr("m.onnx.data: is too short: the initializer "),
                               HasSubstr("\n  copy it again, or export")));
}

TEST(ExternalDataTest, ALinkInThePlaceOfTheDataFileIsRefused) {
  const Exported exported("houdini");
  fs::rename(exported.Path("m.onnx.data"), exported.Path("weights"));
  fs::create_symlink("weights", exported.Path("m.onnx.data"));
  exported.ExpectRefused(AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("m.onnx.data: is a link")));
}

TEST(ExternalDataTest, NoOtherFileIsOpened) {
  const Exported exported("houdini");
  const std::string right = exported.Bytes("m.onnx");
  for (const std::string location : {"/etc/passwd", "../m.onnx.d", "n.onnx.data", "a/b.nnx.dat"}) {
    exported.Write("m.onnx", right);
    exported.Replace("m.onnx", "m.onnx.data", location);
    exported.ExpectRefused(AllOf(StartsWith("DATA_LOSS: "), HasSubstr(" lies in the file " + location),
                                 HasSubstr("opens only m.onnx.data beside it\n  if the two were renamed")));
  }
}

TEST(ExternalDataTest, FilesThatWereRenamedAreRefusedAndALinkToThemIsNot) {
  const Exported exported("houdini");
  const std::string folder = EmptyFolder("link");
  fs::create_symlink(exported.Path("m.onnx"), folder + "/current.onnx");
  EXPECT_EQ(RunIn(folder, "verify", {"current.onnx"}).exit_status, 0);
  for (const std::string& name : kFiles) fs::rename(exported.Path(name), exported.Path("n" + name.substr(1)));
  EXPECT_THAT(exported.Run("verify", {"n.onnx"}).err,
              HasSubstr("lies in the file m.onnx.data, and Modelport opens only n.onnx.data beside it"));
}

TEST(ExternalDataTest, ASignatureIsOfTheDataFileToo) {
  const Exported exported("houdini");
  ASSERT_EQ(exported.Run("sign", {"m.onnx", KeyFlag("private.pem")}).exit_status, 0);
  const ToolResult verified = exported.Run("verify", {"m.onnx", KeyFlag("public.pem")});
  ASSERT_EQ(verified.exit_status, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("artifact and manifest signed"));
  ASSERT_EQ(exported.Predict({KeyFlag("public.pem")}).exit_status, 0);

  std::string data = exported.Bytes("m.onnx.data");
  data[7] = static_cast<char>(data[7] ^ 1);
  exported.Write("m.onnx.data", data);
  for (const ToolResult& result :
       {exported.Run("verify", {"m.onnx", KeyFlag("public.pem")}), exported.Predict({KeyFlag("public.pem")})}) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr("m.onnx.data: is not the data file that"));
  }
  EXPECT_THAT(exported.Run("sign", {"m.onnx", KeyFlag("private.pem")}).err,
              AllOf(HasSubstr("m.onnx.manifest.json: does not describe "), HasSubstr("m.onnx.data, whose sha256 is")));
  fs::remove(exported.Path("m.onnx.data"));
  EXPECT_THAT(exported.Run("verify", {"m.onnx", KeyFlag("public.pem")}).err, HasSubstr("m.onnx.data: no such file"));
}

// By someone who takes the data file out of the manifest before it is signed.
TEST(ExternalDataTest, ASignatureOfTheOtherFilesAloneIsNotEnough) {
  const Exported exported("houdini");
  nlohmann::ordered_json manifest = nlohmann::ordered_json::parse(exported.Bytes("m.onnx.manifest.json"));
  manifest["artifact"].erase("data");
  exported.Write("m.onnx.manifest.json", manifest.dump());
  ASSERT_EQ(exported.Run("sign", {"m.onnx", KeyFlag("private.pem")}).exit_status, 0);
  for (const ToolResult& result :
       {exported.Run("verify", {"m.onnx", KeyFlag("public.pem")}), exported.Predict({KeyFlag("public.pem")})}) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, AllOf(HasSubstr("m.onnx.sig: does not sign "), HasSubstr("m.onnx.data")));
  }
}

TEST(ExternalDataTest, APackageHasBothFilesUnderItsName) {
  const std::string folder = EmptyFolder("package"), model = DepthModel();
  const ToolResult made = RunIn(
      folder, "package", {"--model=" + model, "--weights=seeded", "--target=houdini", "--external_data", "--out=out"});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr(model + ".onnx.data, "));
  EXPECT_THAT(FileNames(folder + "/out"),
              ElementsAre("README.md", model + ".onnx", model + ".onnx.data", model + ".onnx.manifest.json"));
  EXPECT_EQ(RunIn(folder, "verify", {"out/" + model + ".onnx"}).exit_status, 0);
}

// What a host reads beside the file is about that file's inputs.
TEST(HostPackageTest, FlameAndTensorRtNameTheInputOfTheFile) {
  const std::string folder = EmptyFolder("hosts"), model = DepthModel();
  const auto package = [&](const std::string& host) {
    const ToolResult made =
        RunIn(folder, "package",
              {"--model=" + model, "--weights=seeded", "--target=" + host, "--sizes=H=28,W=42", "--out=" + host});
    EXPECT_EQ(made.exit_status, 0) << made.err;
    return folder + "/" + host + "/" + model;
  };
  const std::string flame = package("flame"), tensorrt = package("tensorrt");
  EXPECT_THAT(FileNames(folder + "/flame"),
              ElementsAre(model + ".json", model + ".onnx", model + ".onnx.manifest.json"));
  const auto description = nlohmann::json::parse(ReadFile(flame + ".json"))["ModelDescription"];
  const auto profiles = nlohmann::json::parse(ReadFile(tensorrt + ".profiles.json"));
  EXPECT_EQ(profiles["model"], model + ".onnx");
  ASSERT_EQ(profiles["inputs"].size(), 1);
  const auto profile = profiles["inputs"].items().begin();
  EXPECT_EQ(profile.value()["opt"], nlohmann::json({1, 3, 28, 42}));
  const auto manifest = nlohmann::json::parse(ReadFile(tensorrt + ".onnx.manifest.json"));
  const std::string inputs[] = {description["Inputs"][0]["Name"], profile.key()};
  const std::string outputs[] = {description["Outputs"][0]["Name"], manifest["entry_points"][0]["outputs"][0]["name"]};
  const std::string paths[] = {flame + ".onnx", tensorrt + ".onnx"};
  for (size_t i = 0; i < std::size(paths); ++i) {
    ASSERT_OK_AND_ASSIGN(const onnx::OpenVinoModel file, onnx::OpenVinoModel::Load(paths[i]));
    EXPECT_OK(file.Run({{inputs[i], at::ones({1, 3, 28, 42})}}, {outputs[i]}).status()) << paths[i];
  }
}

TEST(ExternalDataTest, AnExportReplacesFilesOfTheOtherForm) {
  const std::string folder = EmptyFolder("forms");
  Export(folder, {"--noverify"});
  Export(folder, {"--noverify", "--external_data"});
  EXPECT_EQ(FileNames(folder), kFiles);
  EXPECT_EQ(RunIn(folder, "verify", {"m.onnx"}).exit_status, 0);
  const ToolResult whole = RunIn(folder, "export", ExportFlags({"--noverify"}));
  EXPECT_THAT(whole.err, HasSubstr("m.onnx.data has weights of the file that was here before: remove it.\n"));
  EXPECT_EQ(RunIn(folder, "verify", {"m.onnx"}).exit_status, 0);
}

TEST(ExternalDataTest, AnExportThatFailsLeavesTheOldFiles) {
  const Exported exported;
  std::map<std::string, std::string> before;
  for (const std::string& name : kFiles) before[name] = exported.Bytes(name);
  std::vector<std::string> flags = ExportFlags({"--external_data", "--weights=seeded:1", ExamplePlugins({"depth"})});
  const std::string empty = EmptyFolder("empty");
  const rlim_t size = before["m.onnx.data"].size();
  ASSERT_LT(before["m.onnx"].size(), size);
  for (const std::string& folder : {exported.folder(), empty}) {
    const ToolResult result = RunTool("export", flags, folder, [size] {
      const rlimit limit = {size - 1, size - 1};
      setrlimit(RLIMIT_FSIZE, &limit);
    });
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, AllOf(StartsWith("RESOURCE_EXHAUSTED: "), HasSubstr("m.onnx.data: cannot write")));
  }
  EXPECT_EQ(FileNames(exported.folder()), kFiles);
  for (const std::string& name : kFiles) EXPECT_EQ(exported.Bytes(name), before[name]);
  EXPECT_THAT(FileNames(empty), testing::IsEmpty());
}

TEST(ExternalDataTest, OtherFormatsHaveNone) {
  const std::string folder = EmptyFolder("refused");
  const ToolResult result =
      RunIn(folder, "export", {"--model=" + DepthModel(), "--weights=seeded", "--external_data", "--out=m.pt"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("--external_data is for ONNX files, and an artifact for libtorch is TorchScript"));
  EXPECT_THAT(FileNames(folder), testing::IsEmpty());
}

}  // namespace
}  // namespace modelport
