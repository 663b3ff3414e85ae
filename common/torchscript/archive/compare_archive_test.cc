#include "common/torchscript/archive/compare_archive.h"

#include <ATen/ops/arange.h>
#include <torch/csrc/jit/api/module.h>

#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/archive/testing/archive_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

torch::jit::Module Compared() {
  torch::jit::Module module("Toy");
  module.register_parameter("weight", at::arange(3.0), /*is_buffer=*/false);
  module.register_parameter("bias", at::arange(4.0), /*is_buffer=*/false);
  module.define("def forward(self, x: Tensor) -> Tensor:\n  y = x * 2\n  return y * self.weight + self.bias.sum()\n");
  return module;
}

class CompareArchiveTest : public testing::Test {
 protected:
  void SetUp() override {
    const ExtraFile note = {"note.json", [] { return std::string("one\ntwo\n"); }};
    ASSERT_OK_AND_ASSIGN(expected_, MakeArchive(module_, /*runtime=*/nullptr, {note}));
    bytes_.resize(expected_->size());
    expected_->read(0, bytes_.data(), bytes_.size(), "");
    Write(bytes_);
  }

  void Write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  absl::Status Compare() const {
    const absl::StatusOr<ArtifactFile> file = ArtifactFile::Open(path_);
    return file.ok() ? CompareArchive(expected_, *file, {"weight", "bias"}) : file.status();
  }

  // Expects an error for the file that `alter` changes. Its message has the path and then begins with `message`.
  void ExpectRefused(const std::function<void(Records&)>& alter, const std::string& message) const {
    Write(bytes_);
    AlterArchive(path_, alter);
    EXPECT_THAT(Compare(), StatusIs(absl::StatusCode::kDataLoss, StartsWith(absl::StrCat(path_, ": ", message))));
  }

  const std::string path_ = testing::TempDir() + "/toy.pt";
  const torch::jit::Module module_ = Compared();
  std::shared_ptr<ArchivePieces> expected_;
  std::string bytes_;
};

TEST_F(CompareArchiveTest, EqualBytesPass) { EXPECT_OK(Compare()); }

TEST_F(CompareArchiveTest, NamesTheLineOfCode) {
  ExpectRefused(
      [](Records& records) {
        std::string& code = Content(records, "code/__torch__.py");
        const size_t constant = code.find(", 2");
        ASSERT_NE(constant, code.npos);
        code[constant + 2] = '3';
      },
      "code/__torch__.py: line 8: is not what Modelport writes\n"
      "  wants     y = torch.mul(x, 2)\n"
      "  has       y = torch.mul(x, 3)");
}

TEST_F(CompareArchiveTest, NamesTheSlotOfATensor) {
  ExpectRefused([](Records& records) { Content(records, "data/1")[5] ^= 1; },
                "data/1 (bias): is not what Modelport writes from byte 5 on");
  ExpectRefused([](Records& records) { Content(records, "data/0") += '\0'; },
                "data/0 (weight): wants 12 bytes, has 13");
}

TEST_F(CompareArchiveTest, NamesAnyOtherRecord) {
  ExpectRefused([](Records& records) { Content(records, "data.pkl") += '.'; }, "data.pkl: wants ");
  ExpectRefused([](Records& records) { Content(records, "extra/note.json") = "one\n\x1b[2J"; },
                "extra/note.json: line 2: is not what Modelport writes\n  wants two\n  has   \\x1b[2J");
  ExpectRefused([](Records& records) { records.emplace_back("code/__torch__/more.py", "x"); },
                "archive/code/__torch__/more.py: a record that Modelport does not write");
  ExpectRefused([](Records& records) { records.erase(records.begin()); }, "data/0 (weight): missing");
}

TEST_F(CompareArchiveTest, ComparesTheBytesBetweenRecords) {
  std::string altered = bytes_;
  altered[altered.find("ZZZ")] = 'z';  // LibTorch pads records with Z.
  Write(altered);
  EXPECT_THAT(Compare(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("every record is right, but Modelport arranges")));
}

TEST_F(CompareArchiveTest, FindsAChangeOfAnyByte) {
  for (size_t i = 0; i < bytes_.size(); i += 7) {
    std::string altered = bytes_;
    altered[i] ^= 1;
    Write(altered);
    EXPECT_FALSE(Compare().ok()) << "byte " << i;
  }
}

}  // namespace
}  // namespace modelport
