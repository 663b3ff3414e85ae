// The constants and the metadata of an ONNX file.
#include "artifact/format/onnx/read_model.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view file = modelport::FuzzText(data, size);
  const absl::StatusOr<modelport::onnx::FileModel> model = modelport::onnx::ReadModel(file);
  modelport::FuzzCheckFileError(model.status());
  if (!model.ok()) return 0;
  size_t stored = 0;
  for (const auto& [name, tensor] : model->constants) {
    modelport::FuzzCheck(
        tensor.bytes.empty() || (tensor.bytes.data() >= file.data() &&
                                 tensor.bytes.data() + tensor.bytes.size() <= file.data() + file.size()),
        "elements lie within the file");
    stored += tensor.bytes.size();
  }
  modelport::FuzzCheck(stored <= file.size(), "no two tensors overlap");
  return 0;
}
