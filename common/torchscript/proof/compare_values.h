#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_COMPARE_VALUES_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_COMPARE_VALUES_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// True if two tensors agree in dtype, shape and every bit of their elements. NaNs compare by their bits. False for
// tensors that are not dense, quantized or not on the CPU.
bool BitwiseEqual(const at::Tensor& a, const at::Tensor& b);

// How far two outputs are apart.
struct Difference {
  double max_abs = 0;  // Largest absolute difference of two elements.
  // Largest, over all tensors, of max_abs / (largest - smallest element of the expected tensor), or of max_abs /
  // |element| where all elements are equal.
  double relative = 0;

  // Sets each field to the larger of both.
  void Include(const Difference& other);
};

// Compares two outputs: dense tensors on the CPU, or tuples, lists and dictionaries of them, floats, and values that
// must be equal: integers, bools, texts, None. Says where, starting from `name` ("forward(...)[2]["depth"]").
//   DataLoss       they differ in structure, dtype, shape or NaNs, or in a value that must be equal
//   Unimplemented  a value of another kind is among them: a sparse, quantized or nested tensor, a tensor on another
//                  device, an object, a dictionary whose keys are tensors
absl::StatusOr<Difference> CompareValues(const c10::IValue& expected, const c10::IValue& actual,
                                         absl::string_view name);

// The distance from 1 to the next number of the floating dtype `type`: what one rounding is to a number of this size.
inline double Epsilon(at::ScalarType type) {
  if (type == at::kBFloat16) return 0x1p-7;
  if (type == at::kHalf) return 0x1p-10;
  return type == at::kDouble ? 0x1p-52 : 0x1p-23;
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_COMPARE_VALUES_H_
