#ifndef MODELPORT_COMMON_SOURCE_ZEROS_H_
#define MODELPORT_COMMON_SOURCE_ZEROS_H_

#include <cstring>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/source/source_input.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"

namespace modelport {

// The operation that fills a slot which a file may lack.
struct Zeros {
  Shape filled_shape;
  DType filled_dtype;
  std::string reason;  // Why the file may lack it.

  const Shape& shape() const { return filled_shape; }
  DType dtype() const { return filled_dtype; }
  std::vector<SourceInput> inputs() const { return {}; }
  absl::optional<TensorView> view() const { return absl::nullopt; }
  std::string operation() const { return "zeros"; }
  void Evaluate(char* out) const { std::memset(out, 0, *ElementCount(filled_shape) * ByteSize(filled_dtype)); }

  bool operator==(const Zeros&) const = default;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_SOURCE_ZEROS_H_
