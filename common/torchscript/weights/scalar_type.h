#ifndef MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_SCALAR_TYPE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_SCALAR_TYPE_H_

#include <c10/core/ScalarType.h>

#include "common/tensor/dtype.h"

namespace modelport {

// The torch scalar type of a dtype.
at::ScalarType ToScalarType(DType dtype);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_SCALAR_TYPE_H_
