#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/torchscript/lint/rules.h"

namespace modelport {
namespace {

bool WritesInput(const Step& step) {
  const std::vector<c10::Argument>& formals = step.node->schema().arguments();
  for (size_t i = 0; i < std::min(formals.size(), step.inputs.size()); ++i) {
    const c10::AliasInfo* alias = formals[i].alias_info();
    if (alias != nullptr && alias->isWrite() && step.inputs[i]->is_input) return true;
  }
  return false;
}

}  // namespace

void CheckInPlaceWrites(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const Step& step : subject.trace.steps) {
    if (!WritesInput(step)) continue;
    findings.push_back(
        {.modules = {step.module},
         .line = FindSourceLine(step.node->sourceRange()),
         .message = absl::StrCat(step.name(), " writes into the input of forward, whose memory is the host's"),
         .cure = "write into a copy, x.clone(), or use the operator that makes a new tensor"});
  }
}

}  // namespace modelport
