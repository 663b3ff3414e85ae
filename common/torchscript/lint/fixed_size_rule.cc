// The rule about sizes that a file fixes.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/torchscript/lint/extents.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/rules.h"
#include "common/torchscript/lint/step.h"

namespace modelport {
namespace {

// "[n, 8, 37, 37]": n for a size that is computed.
std::string SizesText(const std::vector<FactPtr>& sizes) {
  const auto format = [](std::string* out, const FactPtr& size) {
    const bool is_known = size->value && size->value->isInt();
    absl::StrAppend(out, is_known ? absl::StrCat(size->value->toInt()) : "n");
  };
  return absl::StrCat("[", absl::StrJoin(sizes, ", ", format), "]");
}

constexpr absl::string_view kCure =
    "compute the sizes from x.shape, without int() before torch.jit.trace, which else keeps those of its example "
    "image; "
    "or use torch.jit.script";

Finding FindingAt(const Step& step, std::string message) {
  return {.modules = {step.module},
          .line = FindSourceLine(step.node->sourceRange()),
          .message = std::move(message),
          .cure = std::string(kCure)};
}

}  // namespace

void CheckFixedSizes(const LintSubject& subject, std::vector<Finding>& findings) {
  // A model that works at a size of its own, and gives results of the image's size, resizes on purpose.
  const bool result_follows = subject.trace.result->extents.rest == Extent::kImage;
  for (const Step& step : subject.trace.steps) {
    if (FixesShape(step)) {
      findings.push_back(FindingAt(step, absl::StrCat(step.name(), " gives what is made of the image the fixed sizes ",
                                                      SizesText(step.sizes), ", so images of other sizes fail")));
    } else if (FixesResize(step) && !result_follows) {
      findings.push_back(FindingAt(
          step, absl::StrCat(step.name(), " resizes to ", SizesText(step.sizes), ", whatever size the image has")));
    } else if (AddsTable(step)) {
      findings.push_back(FindingAt(step, absl::StrCat(step.name(),
                                                      " combines what is made of the image with a table of "
                                                      "fixed sizes, so images of other sizes fail")));
    }
  }
}

}  // namespace modelport
