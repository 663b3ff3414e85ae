#ifndef MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_DTYPE_H_
#define MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_DTYPE_H_

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/tensor/dtype.h"

namespace modelport {

// The name of `dtype` in safetensors files: "BF16".
absl::string_view SafetensorsDTypeName(DType dtype);

// The inverse; nullopt for an unknown name.
absl::optional<DType> ParseSafetensorsDType(absl::string_view name);

// The rank of `dtype` in the order of the safetensors library, which puts tensors of a higher rank first.
int SafetensorsRank(DType dtype);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_DTYPE_H_
