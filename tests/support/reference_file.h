#ifndef MODELPORT_TESTS_SUPPORT_REFERENCE_FILE_H_
#define MODELPORT_TESTS_SUPPORT_REFERENCE_FILE_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/testing/checkpoint_writer.h"

namespace modelport {

using NamedTensor = std::pair<std::string, at::Tensor>;

// The bytes of a reference of `model` for `verify --reference`: a safetensors file of these float32 tensors.
inline std::string ReferenceBytes(const std::string& model, const std::vector<NamedTensor>& tensors) {
  std::string header = absl::StrCat(R"({"__metadata__":{"model":")", model, R"(","call":"{}"})"), data;
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor contiguous = tensor.contiguous();
    absl::StrAppend(&header, ",\"", name, R"(":{"dtype":"F32","shape":[)", absl::StrJoin(tensor.sizes(), ","),
                    R"(],"data_offsets":[)", data.size(), ",", data.size() + contiguous.nbytes(), "]}");
    data.append(static_cast<const char*>(contiguous.const_data_ptr()), contiguous.nbytes());
  }
  return SafetensorsFile(header + "}", data);
}

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_REFERENCE_FILE_H_
