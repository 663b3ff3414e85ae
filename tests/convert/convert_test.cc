// The tool `convert` on the checkpoints in every layout, which the libraries made whose layouts they are.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/table_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/case_table.h"
#include "tests/support/examples.h"
#include "tests/support/layout_file.h"
#include "tests/support/tool_process.h"
#include "tests/support/toy_plugin.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string RegistersModel() { return ExampleModel("features with registers"); }
std::string SmallModel() { return ExampleModel("small files with registers"); }

class ConvertTest : public testing::Test {
 protected:
  void SetUp() override { folder_ = EmptyFolder("convert"); }

  ToolResult Convert(const std::string& checkpoint, const std::string& layout, const std::string& out,
                     const std::vector<std::string>& flags = {}) {
    std::vector<std::string> all = {"--checkpoint=" + checkpoint, "--layout=" + layout, "--out=" + out,
                                    ExamplePlugins({"features", "depth", "classes", "small files"})};
    all.insert(all.end(), flags.begin(), flags.end());
    return RunWarmTool("convert", all, folder_);
  }

  // The bytes of the conversion; fails the test if there is none.
  std::string Converted(const std::string& checkpoint, const std::string& layout, const std::string& leave_out = "") {
    std::vector<std::string> flags;
    if (!leave_out.empty()) flags.push_back("--leave_out=" + leave_out);
    const ToolResult result = Convert(checkpoint, layout, "out.safetensors", flags);
    EXPECT_EQ(result.exit_status, 0) << checkpoint << " to " << layout << "\n" << result.err;
    return result.exit_status == 0 ? ReadFile(Path("out.safetensors")) : "";
  }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

// timm has no mask token, so that it does not hold the whole file.
std::string LeftOut(const std::string& layout) { return layout == "timm" ? "mask_token" : ""; }

// Whether timm has changed the values of cls_token and pos_embed.
bool HasTimmRegisters(const std::string& layout, const std::string& model) {
  return layout == "timm" && absl::StrContains(model, "reg");
}

struct File {
  std::string layout, model;
};

std::vector<File> Files() {
  std::vector<File> files;
  for (const Case& fields : ReadFamilyTables("layouts.txt")) {
    files.push_back({Text(fields, "layout"), Text(fields, "model")});
  }
  return files;
}

class ConvertLayoutTest : public ConvertTest, public testing::WithParamInterface<File> {};

TEST_P(ConvertLayoutTest, GivesThePublishedFileByteForByte) {
  const auto& [layout, model] = GetParam();
  if (HasTimmRegisters(layout, model)) GTEST_SKIP() << "one-way; see OneWayRulesAreRefused";
  const std::string wanted = ReadFile(LayoutFile(layout, model));
  EXPECT_TRUE(Converted(LayoutFile("original", model), layout, LeftOut(layout)) == wanted);
}

TEST_P(ConvertLayoutTest, ThereAndBackIsByteEqual) {
  const auto& [layout, model] = GetParam();
  const std::string published = LayoutFile(layout, model);
  for (const std::string to : {"original", "transformers", "transformers_v5_internal"}) {
    if (to == layout) continue;  // Asked below.
    if (model == DepthModel() && layout == "timm") continue;
    ASSERT_EQ(Convert(published, to, "there.safetensors").exit_status, 0) << to;
    if (HasTimmRegisters(layout, model)) continue;
    // The layouts of transformers have a mask token in any case.
    const std::string leave_out = to == "original" || layout != "timm" ? "" : "embeddings.mask_token";
    EXPECT_TRUE(Converted(Path("there.safetensors"), layout, leave_out) == ReadFile(published)) << to;
  }
  EXPECT_TRUE(Converted(published, layout) == ReadFile(published));
}

INSTANTIATE_TEST_SUITE_P(All, ConvertLayoutTest, testing::ValuesIn(Files()),
                         [](const auto& info) { return absl::StrCat(info.param.layout, "_", info.param.model); });

TEST_F(ConvertTest, AMaskTokenIsFilledInForALibraryThatWantsOne) {
  ASSERT_EQ(
      Convert(LayoutFile("original", ExampleModel("features")), "timm", "timm.safetensors", {"--leave_out=mask_token"})
          .exit_status,
      0);
  const ToolResult result = Convert(Path("timm.safetensors"), "transformers", "there.safetensors");
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("mask_token, which the checkpoint lacks and transformers wants"));
  EXPECT_THAT(ReadFile(Path("there.safetensors")), HasSubstr("\"embeddings.mask_token\""));
}

TEST_F(ConvertTest, DTypesStayThoseOfTheFile) {
  for (const std::string file : {"bf16.safetensors", "fp16.safetensors"}) {
    const std::string checkpoint = TableFile(file);
    ASSERT_EQ(Convert(checkpoint, "halves", "there.safetensors").exit_status, 0) << file;
    EXPECT_TRUE(Converted(Path("there.safetensors"), "original") == ReadFile(checkpoint)) << file;
  }
  const std::string mixed = Converted(TableFile("mixed_dtypes.pth"), "original");
  EXPECT_THAT(mixed, AllOf(HasSubstr("\"BF16\""), HasSubstr("\"F32\""), HasSubstr("{\"format\":\"pt\"}")));
}

TEST_F(ConvertTest, EveryFormatOfTorchSaveIsRead) {
  const std::string wanted = ReadFile(TableFile(SmallModel() + ".safetensors"));
  for (const char* name : {"plain_dict.pth", "legacy.pth", "flat_storage.pth", "parameters.pth",
                           "dataparallel_state_dict.pth", "pickle_protocol5.pth"}) {
    EXPECT_TRUE(Converted(TableFile(name), "original") == wanted) << name;
  }
  const std::string whole = ExampleModel("features");
  EXPECT_TRUE(Converted(DataPath(absl::StrCat("tests/checkpoints/", whole, ".pth")), "original") ==
              ReadFile(LayoutFile("original", whole)));
}

TEST_F(ConvertTest, TensorsThatAreStridedOrShareAStorageAreWrittenInOrder) {
  const std::string checkpoint = TableFile("strided_shared.pth");
  const std::string wanted = Converted(checkpoint, "original");
  ASSERT_EQ(Convert(checkpoint, "halves", "there.safetensors").exit_status, 0);
  EXPECT_TRUE(Converted(Path("there.safetensors"), "original") == wanted);
}

TEST_F(ConvertTest, PrintsWhatWasWritten) {
  const ToolResult result = Convert(TableFile("no_mask_token.pth"), "halves", "m.safetensors");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr(SmallModel() + "\n"), HasSubstr("original to halves\n"), HasSubstr("tensors  8\n"),
                    HasSubstr("mask_token, as in the checkpoint\n"), HasSubstr("m.safetensors, 1.18 kB\n")));
  EXPECT_THAT(result.err, IsEmpty());
}

// Its keys do not tell a relative model from a metric one, and nothing depends on it.
TEST_F(ConvertTest, ModelsThatGiveTheSameFileNeedNotBeChosen) {
  const ToolResult result = Convert(LayoutFile("original", DepthModel()), "transformers", "m.safetensors");
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr(DepthModel() + ", " + ExampleModel("depth in metres") + " (the file is the same for each)\n"));
}

TEST_F(ConvertTest, LicencesOfModelsThatGiveTheSameFileAreToldApart) {
  std::ofstream(Path("m.safetensors"), std::ios::binary) << ToyFile({"a", "b"});
  const std::string toy = WriteToyPlugin(Path("toy"));
  const std::string plugin = ReadFile(Path("toy/plugin.yaml"));
  std::ofstream(Path("toy/plugin.yaml")) << absl::StrReplaceAll(
      plugin, {{"published: false}}",
                "published: false}, other: {summary: two vectors, module: Toy(), file: other.pth, "
                "licence: Apache-2.0, published: false}}"}});
  const auto convert = [&](const std::string& out, const std::string& model) {
    return RunWarmTool("convert", {"--checkpoint=m.safetensors", "--layout=original", "--out=" + out, model, toy},
                       folder_);
  };
  const ToolResult both = convert("both.safetensors", "--model=");
  EXPECT_EQ(both.exit_status, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("Apache-2.0 of other, MIT of toy, of the published weights\n"));
  EXPECT_THAT(convert("one.safetensors", "--model=toy").out, HasSubstr(" MIT, of the published weights\n"));
}

TEST_F(ConvertTest, WhatTheLayoutCannotHoldIsRefusedAndListed) {
  const ToolResult result = Convert(LayoutFile("original", RegistersModel()), "timm", "m.safetensors");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, AllOf(StartsWith("FAILED_PRECONDITION: "),
                                HasSubstr(RegistersModel() + ".safetensors: layout timm cannot hold 2 parts of it\n"),
                                HasSubstr("\n  mask_token: timm's models have no mask token\n"),
                                HasSubstr("\n  --leave_out=KEY,... writes the file without them")));
  EXPECT_THAT(FileNames(folder_), IsEmpty());
}

TEST_F(ConvertTest, OneWayRulesAreRefused) {
  for (const std::string& model : {RegistersModel(), ExampleModel("features of gated blocks")}) {
    ASSERT_EQ(Convert(LayoutFile("timm", model), "original", "m.safetensors").exit_status, 0);
    const ToolResult result = Convert(Path("m.safetensors"), "timm", "back.safetensors");
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr("pos_embed: timm has added the first row to cls_token"));
    EXPECT_EQ(Convert(Path("m.safetensors"), "timm", "back.safetensors", {"--leave_out=pos_embed"}).exit_status, 0);
  }
}

TEST_F(ConvertTest, UnusedKeysAndOtherDictionariesAreRefusedOrLeftOutByName) {
  const std::string checkpoint = TableFile("teacher_student_module_backbone.pth");
  const ToolResult refused = Convert(checkpoint, "halves", "m.safetensors");
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err, HasSubstr("\n  student: 7 tensors beside the state dict of the model\n"));
  const ToolResult result = Convert(checkpoint, "halves", "m.safetensors", {"--leave_out=student"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("left out    student: 7 tensors"), HasSubstr("dictionary teacher")));
}

TEST_F(ConvertTest, KeysWithoutAPlaceInTheModelAreLeftOutByName) {
  const std::string checkpoint = TableFile("extra_key.pth");
  const ToolResult refused = Convert(checkpoint, "halves", "m.safetensors");
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("unexpected"), HasSubstr("\n  --leave_out=KEY,... leaves out keys for which")));
  const ToolResult half = Convert(checkpoint, "halves", "m.safetensors", {"--leave_out=head.weight"});
  EXPECT_EQ(half.exit_status, 1);
  EXPECT_THAT(half.err, AllOf(HasSubstr("unexpected: head.bias"), HasSubstr("leaves out keys for which")));
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--leave_out=head.{leaf}"},
                                                {"--leave_out=head.weight,head.bias", "--model=" + SmallModel()}}) {
    const ToolResult result = Convert(checkpoint, "halves", "m.safetensors", flags);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("left out  head.weight: the model has no place for it\n"),
                                  HasSubstr("head.bias: the model")));
    const std::string written = ReadFile(Path("m.safetensors"));
    EXPECT_TRUE(Converted(TableFile(SmallModel() + ".safetensors"), "halves") == written);
  }
}

// The flag of a plugin with a vector that files may lack.
std::string WriteToyWithOptional() {
  return WriteToyPlugin(EmptyFolder("optional") + "/toy",
                        R"yaml(  original: {recognise: [a], missing: [{key: b, reason: old files lack it}]}
  net: {recognise: [net.a], sources: [{slot: "{a,b}", key: "net.{a,b}"}], missing: [{key: b, reason: old files lack it, written: true}]}
)yaml");
}

// An item of --leave_out for a key that has a place is refused, also beside one for a key that has none.
TEST_F(ConvertTest, KeysWithAPlaceAreNotLeftOutWithOthers) {
  const std::string plugins = WriteToyWithOptional();
  std::ofstream(Path("m"), std::ios::binary) << ToyFile({"a", "b", "head"});
  const auto convert = [&](const std::string& items) {
    return RunWarmTool("convert", {"--checkpoint=m", "--layout=net", "--out=out", plugins, "--leave_out=" + items},
                       folder_);
  };
  EXPECT_THAT(convert("head,b").err, HasSubstr("--leave_out=b: names nothing that layout net cannot hold"));
  const ToolResult all = convert("{any}");
  EXPECT_THAT(all.err, HasSubstr("1 unexpected"));
  ASSERT_EQ(convert("head").exit_status, 0) << convert("head").err;
  EXPECT_THAT(ReadFile(Path("out")), HasSubstr("number01"));
}

TEST_F(ConvertTest, TheLicenceOfTheWeightsIsNamed) {
  const std::string plugins = WriteToyWithOptional();
  std::ofstream(Path("m"), std::ios::binary) << ToyFile({"a", "b"});
  const ToolResult result = RunWarmTool("convert", {"--checkpoint=m", "--layout=net", "--out=out", plugins}, folder_);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("MIT, of the published weights\n"));
}

TEST_F(ConvertTest, ZerosHaveTheDtypeOfTheFile) {
  const std::string plugins = WriteToyWithOptional();
  std::ofstream(Path("m"), std::ios::binary)
      << SafetensorsFile(R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", "4444");
  const ToolResult result = RunWarmTool("convert", {"--checkpoint=m", "--layout=net", "--out=out", plugins}, folder_);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(ReadFile(Path("out")), AllOf(HasSubstr(R"("net.b":{"dtype":"F16","shape":[2])"), Not(HasSubstr("F32"))));
}

TEST_F(ConvertTest, AnItemOfLeaveOutThatNamesNothingIsAnError) {
  const std::string checkpoint = LayoutFile("original", RegistersModel());
  EXPECT_THAT(
      Convert(checkpoint, "timm", "m.safetensors", {"--leave_out=mask_toke,pos_embed"}).err,
      StartsWith("INVALID_ARGUMENT: --leave_out=mask_toke: names nothing that layout timm cannot hold; nearest: "
                 "mask_token"));
  EXPECT_THAT(
      Convert(checkpoint, "transformers", "m.safetensors", {"--leave_out=cls_token"}).err,
      HasSubstr("--leave_out=cls_token: names nothing that layout transformers cannot hold; it holds the whole"));
  EXPECT_THAT(Convert(checkpoint, "timm", "m.safetensors", {"--leave_out=a..b"}).err,
              StartsWith("INVALID_ARGUMENT: --leave_out=a..b: pattern"));
  EXPECT_THAT(FileNames(folder_), IsEmpty());
}

TEST_F(ConvertTest, UnknownNamesAreErrorsWithTheNearest) {
  const std::string checkpoint = LayoutFile("original", RegistersModel());
  EXPECT_THAT(Convert(checkpoint, "tim", "m.safetensors").err,
              StartsWith("INVALID_ARGUMENT: --layout=tim: " + ExampleFamily("features") + "_tiny" +
                         " has no such layout; nearest: timm"));
  EXPECT_THAT(Convert(checkpoint, "chunked", "m.safetensors").err,
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("layout chunked can only be read")));
  EXPECT_THAT(Convert(checkpoint, "timm", "m.safetensors", {"--model=tiny_dinov"}).err, StartsWith("NOT_FOUND: "));
  EXPECT_THAT(Convert(checkpoint, "timm", "m.safetensors", {"--from=tim"}).err,
              StartsWith("INVALID_ARGUMENT: --from=tim: no family has this layout; nearest: timm"));
  EXPECT_THAT(Convert(checkpoint, "timm", "m.safetensors", {"--from=transformers"}).err,
              HasSubstr(RegistersModel() + ".safetensors: fits no model of the catalog in layout transformers\n"));
  EXPECT_THAT(
      Convert(checkpoint, "timm", "m.safetensors", {"--model=" + ExampleModel("features")}).err,
      AllOf(StartsWith("FAILED_PRECONDITION: "), HasSubstr("it fits another model: --model=" + RegistersModel())));
  EXPECT_THAT(Convert(TableFile("missing_key.pth"), "halves", "m.safetensors").err,
              AllOf(HasSubstr("missing_key.pth: fits no model of the catalog\n"),
                    HasSubstr("the nearest is " + SmallModel() + " ")));
  EXPECT_THAT(RunWarmTool("convert", {}, folder_).err, StartsWith("INVALID_ARGUMENT: --checkpoint is missing"));
  EXPECT_THAT(RunWarmTool("convert", {"--checkpoint=x"}, folder_).err,
              StartsWith("INVALID_ARGUMENT: --layout is missing"));
  EXPECT_THAT(FileNames(folder_), IsEmpty());
}

TEST_F(ConvertTest, AFileThatTheLayoutDoesNotReadIsNotWritten) {
  const std::string plugins = WriteToyPlugin(EmptyFolder("odd") + "/toy", R"yaml(  original: {recognise: [a]}
  good: {recognise: [net.a], sources: [{slot: "{a,b}", key: "net.{a,b}"}]}
  odd: {recognise: [net.c], sources: [{slot: "{a,b}", key: "net.{a,b}"}]}
)yaml");
  std::ofstream(Path("m"), std::ios::binary) << ToyFile({"a", "b"});
  const auto convert = [&](const std::string& layout) {
    return RunWarmTool("convert", {"--checkpoint=m", "--layout=" + layout, "--out=out", plugins}, folder_);
  };
  EXPECT_EQ(convert("good").exit_status, 0) << convert("good").err;
  EXPECT_THAT(convert("odd").err,
              AllOf(StartsWith("INVALID_ARGUMENT: --layout=odd: its rules cannot be reversed: a file of theirs: does "
                               "not fit toy"),
                    HasSubstr("net.c")));
}

// --layout names the layout that is written.
TEST_F(ConvertTest, AnUnrecognisedLayoutIsNamedByFrom) {
  const std::string plugins = WriteToyPlugin(EmptyFolder("from") + "/toy", R"yaml(  original: {recognise: [a]}
  other: {recognise: [net.a], sources: [{slot: "{a,b}", key: "net.{a,b}"}]}
)yaml");
  std::ofstream(Path("m"), std::ios::binary) << ToyFile({"x", "b"});
  EXPECT_THAT(
      RunWarmTool("convert", {"--checkpoint=m", "--layout=original", "--out=out", "--model=toy", plugins}, folder_).err,
      AllOf(HasSubstr("no layout is recognised"), HasSubstr("\n  --from=NAME compares with that layout in full\n"),
            Not(HasSubstr("--layout="))));
}

TEST_F(ConvertTest, TheInputIsNotReplacedAndAnExistingOutputIs) {
  fs::copy_file(LayoutFile("original", RegistersModel()), Path("m.safetensors"));
  fs::permissions(Path("m.safetensors"), fs::perms::owner_write, fs::perm_options::add);
  const std::string before = ReadFile(Path("m.safetensors"));
  EXPECT_THAT(Convert("m.safetensors", "transformers", "m.safetensors").err, StartsWith("INVALID_ARGUMENT: "));
  EXPECT_EQ(ReadFile(Path("m.safetensors")), before);
  std::ofstream(Path("other")) << "old";
  EXPECT_EQ(Convert("m.safetensors", "original", "other").exit_status, 0);
  EXPECT_EQ(ReadFile(Path("other")), before);
  EXPECT_THAT(FileNames(folder_), ElementsAre("m.safetensors", "other"));
}

TEST_F(ConvertTest, DamagedFilesLeaveNothing) {
  for (const std::string name :
       {"truncated.safetensors", "flipped_payload.pth", "truncated_half.pth", "wrong_shape.pth", "extra_key.pth",
        "list_not_dict.pth", "html_page.pth", "empty_file.pth"}) {
    const ToolResult result = Convert(TableFile(name), "halves", "m.safetensors");
    EXPECT_EQ(result.exit_status, 1) << name;
    EXPECT_THAT(result.err, HasSubstr(name)) << name;
  }
  EXPECT_THAT(FileNames(folder_), IsEmpty());
}

}  // namespace
}  // namespace modelport
