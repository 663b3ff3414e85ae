#ifndef MODELPORT_COMMON_OPERATION_TAKE_H_
#define MODELPORT_COMMON_OPERATION_TAKE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "common/operation/source_input.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"

namespace modelport {

// The operation that gives one tensor as it is.
struct Take {
  SourceInput input;

  const Shape& shape() const { return input.tensor->shape; }
  DType dtype() const { return input.tensor->dtype; }
  std::vector<SourceInput> inputs() const { return {input}; }
  absl::optional<TensorView> view() const { return ViewTensor(input.checkpoint, *input.tensor); }
  std::string operation() const { return ""; }
  absl::Status Evaluate(char* out) const {
    CopyRowMajor(*view(), out);
    return absl::OkStatus();
  }

  bool operator==(const Take&) const = default;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_OPERATION_TAKE_H_
