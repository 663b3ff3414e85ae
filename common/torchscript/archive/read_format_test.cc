#include "common/torchscript/archive/read_format.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/module.h>

#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/script_archive.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

using torch::jit::Module;

Module ModuleThatCalls(const std::string& expression) {
  Module module("Tiny");
  module.define("def forward(self, x):\n  return " + expression + "\n");
  return module;
}

std::string Save(const Module& module) {
  const std::string path = testing::TempDir() + "/tiny.pt";
  module.save(path);
  return path;
}

TEST(ReadArchiveFormatTest, ReadsTheVersionOfTheNewestOperator) {
  ASSERT_OK_AND_ASSIGN(const ArchiveFormat relu, ReadArchiveFormat(Save(ModuleThatCalls("torch.relu(x)"))));
  EXPECT_EQ(relu.version, 3);
  EXPECT_TRUE(relu.new_records);
  ASSERT_OK_AND_ASSIGN(const ArchiveFormat gelu, ReadArchiveFormat(Save(ModuleThatCalls("torch.gelu(x)"))));
  EXPECT_EQ(gelu.version, 10);
}

// Modules of torch.nn have such attributes.
TEST(ReadArchiveFormatTest, SeesAttributesOfNoneType) {
  Module module = ModuleThatCalls("torch.relu(x)");
  ASSERT_OK_AND_ASSIGN(const ArchiveFormat without, ReadArchiveFormat(Save(module)));
  EXPECT_FALSE(without.none_type);
  module.register_attribute("_is_full_backward_hook", c10::NoneType::get(), c10::IValue());
  ASSERT_OK_AND_ASSIGN(const ArchiveFormat with, ReadArchiveFormat(Save(module)));
  EXPECT_TRUE(with.none_type);
}

TEST(ReadArchiveFormatTest, RefusesArchivesWithoutCode) {
  const std::string path = testing::TempDir() + "/weights.pth";
  caffe2::serialize::PyTorchStreamWriter writer(path);
  writer.writeRecord("data.pkl", "N.", 2);
  writer.writeEndOfFile();
  EXPECT_THAT(ReadArchiveFormat(path), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no code")));
}

TEST(ReadArchiveFormatTest, RefusesArchivesWithoutAVersion) {
  const struct {
    std::string version, error;
  } kCases[] = {{"", "the version is not a number"},
                {"-1", "the version is not a number"},
                {"3x", "version: the version is not a number"}};
  for (const auto& test : kCases) {
    const std::string file = ZipArchive({{"m/constants.pkl", "N."}, {"m/version", test.version}});
    ASSERT_OK_AND_ASSIGN(const ScriptArchive archive, ScriptArchive::Read(file));
    EXPECT_THAT(FormatOf(archive), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(test.error)));
  }
  const std::string file = ZipArchive({{"m/constants.pkl", "N."}});
  ASSERT_OK_AND_ASSIGN(const ScriptArchive archive, ScriptArchive::Read(file));
  EXPECT_THAT(FormatOf(archive), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no record has the version")));
}

TEST(ReadArchiveFormatTest, RefusesCodeThatIsNotTorchScript) {
  const std::string file =
      ZipArchive({{"m/constants.pkl", "N."}, {"m/version", "3"}, {"m/code/a.py", "def f(:\n  \"open\n"}});
  ASSERT_OK_AND_ASSIGN(const ScriptArchive archive, ScriptArchive::Read(file));
  EXPECT_THAT(FormatOf(archive), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("code/a.py: not TorchScript")));
}

TEST(ReadArchiveFormatTest, RefusesOtherFiles) {
  const std::string path = testing::TempDir() + "/text.pt";
  std::ofstream(path) << "not an archive";
  EXPECT_THAT(ReadArchiveFormat(path),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("text.pt: not a TorchScript")));
}

}  // namespace
}  // namespace modelport
