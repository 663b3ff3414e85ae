#include "tools/parity/page/parity_page.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linspace.h>
#include <torch/csrc/jit/api/module.h>

#include <memory>
#include <string>

#include "common/status/status_matchers.h"
#include "common/torchscript/parity/reference.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/parity/check/check_parity.h"
#include "tools/parity/check/compared_model.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Halves a picture, and adds a number to it.
ComparedModel Model(double shift) {
  torch::jit::Module pool("Pool");
  pool.register_attribute("eps<1>", c10::FloatType::get(), shift);
  pool.define("def forward(self, x: Tensor) -> Tensor:\n  return torch.avg_pool2d(x, 2) + " + std::to_string(shift) +
              "\n");
  torch::jit::Module net("Net");
  net.register_module("pool", pool);
  net.define("def forward(self, x: Tensor) -> Tensor:\n  return self.pool.forward(x).mean(1).flatten()\n");
  return {.name = "net", .module = std::make_shared<const torch::jit::Module>(net)};
}

absl::StatusOr<std::string> Page(double shift) {
  const at::Tensor input = at::linspace(0, 1, 3 * 8 * 12).view({1, 3, 8, 12});
  auto reference = RecordReference(*Model(1).module, "forward", {input}, "r.safetensors", "net");
  if (!reference.ok()) return reference.status();
  auto report = CheckParity(Model(shift), *reference, {.keep_tensors = true}, /*bisects=*/true);
  if (!report.ok()) return report.status();
  return ParityPage(*report, *reference);
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ParityPageTest, AnEqualModelHasACurveATreeAndPictures) {
  ASSERT_OK_AND_ASSIGN(const std::string page, Page(1));
  EXPECT_THAT(page, AllOf(HasSubstr("<strong>Equal</strong>: all 3 tensors pass"), Not(HasSubstr("DIFFERS")),
                          Not(HasSubstr("Wrong on right input")), Not(HasSubstr("class=\"failed\"")),
                          HasSubstr("<summary><code>pool</code> <span class=\"quiet\">2 pass</span></summary>")));
  EXPECT_EQ(Count(page, "data:image/png;base64,"), 3);  // The pooled picture; the result is none.
  EXPECT_THAT(page, HasSubstr("mean of 3 channels"));
}

TEST(ParityPageTest, WhatDiffersIsMarkedAndUnfolded) {
  ASSERT_OK_AND_ASSIGN(const std::string page, Page(1.5));
  EXPECT_THAT(page, AllOf(HasSubstr("DIFFERS</strong> 1 of 3 tensors pass"), HasSubstr("Wrong on right input"),
                          HasSubstr("<details open><summary><code>pool</code> <strong class=\"warning\">1 of 2 fail"),
                          HasSubstr("white is a difference of 0.5<")));
  EXPECT_EQ(Count(page, "<path class=\"failed\""), 2);
}

TEST(ParityPageTest, NamesAreNoMarkup) {
  ASSERT_OK_AND_ASSIGN(const std::string page, Page(1.5));
  EXPECT_THAT(page, AllOf(HasSubstr("<code>eps&lt;1&gt;</code>"), Not(HasSubstr("eps<1>"))));
}

TEST(ParityPageTest, LoadsNothing) {
  ASSERT_OK_AND_ASSIGN(const std::string page, Page(1));
  EXPECT_THAT(page, AllOf(HasSubstr("default-src 'none'"), Not(HasSubstr("http:")), Not(HasSubstr("https:"))));
}

}  // namespace
}  // namespace modelport
