#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/archive/testing/archive_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

// The records of a module with a weight and a constant.
Records SavedRecords() {
  torch::jit::Module module("Tiny");
  module.register_parameter("weight", at::arange(12.0).reshape({3, 4}), /*is_buffer=*/false);
  module.define("def forward(self, x):\n  return x + self.weight\n");
  std::ostringstream saved;
  module.save(saved);
  const std::string file = saved.str();
  const auto archive = ScriptArchive::Read(file);
  EXPECT_OK(archive);
  Records records;
  for (const ScriptArchive::Record& record : archive->records()) {
    records.emplace_back(absl::StrCat("tiny/", record.path), record.content);
  }
  return records;
}

absl::StatusOr<torch::jit::Module> Load(const Records& records, const ZipOptions& options = {}) {
  const std::string file = ZipArchive(records, options);
  const auto archive = ScriptArchive::Read(file);
  if (!archive.ok()) return archive.status();
  return LoadArchive(*archive);
}

TEST(LoadArchiveTest, LoadsStoredAndDeflatedRecords) {
  for (const bool deflate : {false, true}) {
    ASSERT_OK_AND_ASSIGN(torch::jit::Module module, Load(SavedRecords(), {.deflate = deflate}));
    const at::Tensor y = module.forward({at::zeros({3, 4})}).toTensor();
    EXPECT_TRUE(at::equal(y, at::arange(12.0).reshape({3, 4})));
  }
}

// LibTorch ignores the case of record names, and it reads an archive with model.json in an old format.
TEST(LoadArchiveTest, LibTorchSeesNoOtherRecords) {
  Records records = SavedRecords();
  records.emplace_back("tiny/model.json", "{}");
  records.emplace_back("tiny/CODE/__torch__.py", "not TorchScript");
  EXPECT_OK(Load(records));
}

TEST(LoadArchiveTest, SaysWhyAnArchiveCannotBeLoaded) {
  Records records = SavedRecords();
  for (auto& [name, content] : records) {
    if (name == "tiny/code/__torch__.py") content = "class Tiny(Module):\n  def forward(self, x):\n    return y\n";
  }
  EXPECT_THAT(Load(records), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("LibTorch cannot load it: ")));
}

}  // namespace
}  // namespace modelport
