#include "tools/parity/check/find_nonfinite.h"

#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {

absl::StatusOr<absl::optional<OperatorRun>> FindNonfiniteOperator(const torch::jit::Module& module,
                                                                  const std::string& method,
                                                                  const std::vector<c10::IValue>& inputs) {
  const auto found = module.find_method(method);
  if (!found) return absl::NotFoundError(absl::StrCat("no method ", method));
  absl::Status status;
  // The exception is caught within the trace, which would not end otherwise.
  std::vector<OperatorRun> runs = TraceOperators([&] { status = CatchTorch([&] { (*found)(inputs); }); });
  const auto first = std::find_if(runs.begin(), runs.end(), [](const OperatorRun& run) { return run.makes_nonfinite; });
  if (first != runs.end()) return absl::make_optional(std::move(*first));
  RETURN_IF_ERROR(status);
  return absl::nullopt;
}

}  // namespace modelport
