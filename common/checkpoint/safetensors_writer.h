#ifndef MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_WRITER_H_
#define MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_WRITER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {

// A tensor of a safetensors file to be written.
struct SafetensorsTensor {
  std::string key;
  DType dtype;
  Shape shape;
};

// True if the safetensors library puts `a` before `b`: wider dtypes come first, and keys in the order of their bytes.
bool ComesBefore(const SafetensorsTensor& a, const SafetensorsTensor& b);

// The beginning of a safetensors file, up to its data: the bytes that the library writes for these tensors, whose
// row-major elements follow in the same order. Keys are UTF-8 and unique; without `metadata` there is no __metadata__.
std::string SafetensorsHeader(const std::vector<SafetensorsTensor>& tensors,
                              const std::map<std::string, std::string>& metadata);

// The name of `dtype`, any but complex128, in safetensors files: "BF16".
absl::string_view SafetensorsDTypeName(DType dtype);

// The inverse; nullopt for an unknown name.
absl::optional<DType> ParseSafetensorsDType(absl::string_view name);

// The rank of `dtype` in the order of the safetensors library, which puts tensors of a higher rank first.
int SafetensorsRank(DType dtype);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_WRITER_H_
