#include "tests/support/reference_file.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/testing/checkpoint_writer.h"

namespace modelport {

std::string ReferenceBytes(const std::string& model, const std::vector<NamedTensor>& tensors) {
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
