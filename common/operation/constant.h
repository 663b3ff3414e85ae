#ifndef MODELPORT_COMMON_OPERATION_CONSTANT_H_
#define MODELPORT_COMMON_OPERATION_CONSTANT_H_

#include <array>
#include <cstdint>
#include <cstring>
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

// The operation that fills a slot which a file may lack: with one number, which is 0 if the key map states none.
struct Constant {
  Shape filled_shape;
  DType filled_dtype;
  std::string reason;         // Why the file may lack it.
  Number value = int64_t{0};  // The dtype has it, maybe rounded.

  const Shape& shape() const { return filled_shape; }
  DType dtype() const { return filled_dtype; }
  std::vector<SourceInput> inputs() const { return {}; }
  absl::optional<TensorView> view() const { return absl::nullopt; }
  bool is_zeros() const { return IsSameNumber(value, int64_t{0}); }
  std::string operation() const { return is_zeros() ? "zeros" : absl::StrCat("constant(", NumberText(value), ")"); }
  absl::Status Evaluate(char* out) const {
    std::array<char, sizeof(int64_t)> element = {};
    WriteNumber(value, filled_dtype, element.data());
    const int64_t size = ByteSize(filled_dtype), bytes = *ElementCount(filled_shape) * size;
    for (int64_t i = 0; i < bytes; i += size) std::memcpy(out + i, element.data(), size);
    return absl::OkStatus();
  }

  bool operator==(const Constant&) const = default;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_OPERATION_CONSTANT_H_
