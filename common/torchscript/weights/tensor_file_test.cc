#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/weights/weights.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

std::string NewFolder(const std::string& name) {
  const std::string folder = absl::StrCat(testing::TempDir(), "/", name);
  fs::create_directories(folder);
  return folder;
}

TEST(TensorFileTest, GivesTheTensorsBackWithoutALastingFile) {
  const std::string folder = NewFolder("back");
  const at::Tensor floats = at::arange(6, at::kFloat).view({2, 3}), bytes = at::arange(3, at::kByte),
                   halves = at::ones({5}, at::kHalf);
  std::vector<at::Tensor> mapped;
  {
    TensorFile file(folder + "/m.pt.weights");
    for (const at::Tensor& tensor : {floats, bytes, halves}) ASSERT_OK(file.Append(tensor));
    ASSERT_OK_AND_ASSIGN(mapped, file.Map());
  }
  EXPECT_TRUE(fs::is_empty(folder));
  ASSERT_EQ(mapped.size(), 3);
  EXPECT_TRUE(mapped[0].equal(floats));
  EXPECT_TRUE(mapped[1].equal(bytes));
  EXPECT_TRUE(mapped[2].equal(halves));
  for (const at::Tensor& tensor : mapped) EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % 64, 0);
}

TEST(TensorFileTest, CreatesNothingWithoutATensor) {
  TensorFile file("/no/such/folder/m.pt.weights");
  ASSERT_OK_AND_ASSIGN(const std::vector<at::Tensor> mapped, file.Map());
  EXPECT_TRUE(mapped.empty());
  EXPECT_THAT(file.Append(at::ones({1})), StatusIs(absl::StatusCode::kNotFound, testing::HasSubstr("m.pt.weights")));
}

}  // namespace
}  // namespace modelport
