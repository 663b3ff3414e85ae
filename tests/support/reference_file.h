#ifndef MODELPORT_TESTS_SUPPORT_REFERENCE_FILE_H_
#define MODELPORT_TESTS_SUPPORT_REFERENCE_FILE_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace modelport {

using NamedTensor = std::pair<std::string, at::Tensor>;

// The bytes of a reference of `model` for `verify --reference`: a safetensors file of these float32 tensors.
std::string ReferenceBytes(const std::string& model, const std::vector<NamedTensor>& tensors);

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_REFERENCE_FILE_H_
