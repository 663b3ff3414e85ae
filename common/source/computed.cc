#include "common/source/computed.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/status_macros.h"

namespace modelport {

absl::StatusOr<Computed> Computed::Make(std::vector<SourceInput> inputs, absl::Span<const Operation> operations,
                                        size_t result) {
  std::vector<Shape> shapes;
  for (const SourceInput& input : inputs) {
    shapes.push_back(input.tensor->shape);
    if (input.tensor->dtype != inputs.front().tensor->dtype) {
      return absl::InvalidArgumentError(
          absl::StrCat("the tensors have different dtypes: ", DTypeName(inputs.front().tensor->dtype), " and ",
                       DTypeName(input.tensor->dtype)));
    }
  }
  ASSIGN_OR_RETURN(shapes, ResultShapes(operations, std::move(shapes)));
  Computed computed;
  computed.inputs_ = std::move(inputs);
  computed.operations_.assign(operations.begin(), operations.end());
  computed.result_ = result;
  computed.shape_ = std::move(shapes[result]);
  return computed;
}

absl::optional<TensorView> Computed::view() const {
  if (std::any_of(operations_.begin(), operations_.end(), std::mem_fn(&Operation::copies))) return absl::nullopt;
  return Apply().view;
}

void Computed::Evaluate(char* out) const { CopyRowMajor(Apply().view, out); }

std::string Computed::operation() const {
  const std::string text = absl::StrJoin(
      operations_, ", ", [](std::string* out, const Operation& operation) { out->append(operation.text()); });
  const bool has_others = CountResults(operations_, inputs_.size()) > size_t{1};
  return has_others ? absl::StrCat(text, "[", result_, "]") : text;
}

Array Computed::Apply() const {
  std::vector<Array> arrays;
  for (const SourceInput& input : inputs_) arrays.push_back({ViewTensor(input.checkpoint, *input.tensor)});
  return std::move(ApplyAll(operations_, std::move(arrays))[result_]);
}

}  // namespace modelport
