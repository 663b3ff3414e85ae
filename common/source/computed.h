#ifndef MODELPORT_COMMON_SOURCE_COMPUTED_H_
#define MODELPORT_COMMON_SOURCE_COMPUTED_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/source/operation.h"
#include "common/source/source_input.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"

namespace modelport {

// One of the results of operations over tensors. Has the members of Take.
class Computed {
 public:
  // The result with index `result`. `inputs` are not empty, and CountResults of their number is more than `result`.
  //   InvalidArgument  the tensors have different dtypes, or an operation does not accept their shapes:
  //                    chunk(3, 0): 3 does not divide dimension 0 of [64, 384]
  static absl::StatusOr<Computed> Make(std::vector<SourceInput> inputs, absl::Span<const Operation> operations,
                                       size_t result);

  const Shape& shape() const { return shape_; }
  DType dtype() const { return inputs_.front().tensor->dtype; }
  const std::vector<SourceInput>& inputs() const { return inputs_; }
  const std::vector<Operation>& operations() const { return operations_; }
  size_t result() const { return result_; }
  absl::optional<TensorView> view() const;
  void Evaluate(char* out) const;
  std::string operation() const;

  bool operator==(const Computed&) const = default;

 private:
  Computed() = default;

  Array Apply() const;

  std::vector<SourceInput> inputs_;
  std::vector<Operation> operations_;
  size_t result_ = 0;
  Shape shape_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_SOURCE_COMPUTED_H_
