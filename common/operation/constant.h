#ifndef MODELPORT_COMMON_OPERATION_CONSTANT_H_
#define MODELPORT_COMMON_OPERATION_CONSTANT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/operation/source_input.h"
#include "common/tensor/dtype.h"
#include "common/tensor/number.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"

namespace modelport {

// The operation that fills a slot which a file may lack: with one number for all elements, which is 0 if the key map
// states none, or with one for each, in row-major order.
struct Constant {
  Shape filled_shape;
  DType filled_dtype;
  std::string reason;                         // Why the file may lack it.
  std::vector<Number> values = {int64_t{0}};  // The dtype has them, maybe rounded.

  const Shape& shape() const { return filled_shape; }
  DType dtype() const { return filled_dtype; }
  std::vector<SourceInput> inputs() const { return {}; }
  absl::optional<TensorView> view() const { return absl::nullopt; }
  bool is_zeros() const { return AreSameNumbers(values, {int64_t{0}}); }
  std::string operation() const { return is_zeros() ? "zeros" : absl::StrCat("constant(", NumbersText(values), ")"); }
  absl::Status Evaluate(char* out) const {
    const int64_t size = ByteSize(filled_dtype), count = *ElementCount(filled_shape);
    for (int64_t i = 0; i < count; ++i) {
      WriteNumber(values[static_cast<size_t>(i) % values.size()], filled_dtype, out + i * size);
    }
    return absl::OkStatus();
  }

  bool operator==(const Constant&) const = default;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_OPERATION_CONSTANT_H_
