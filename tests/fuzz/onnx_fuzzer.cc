// The constants and the metadata of an ONNX file, whose data file has the same bytes.
#include "artifact/format/onnx/read_model.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view file = modelport::FuzzText(data, size);
  absl::StatusOr<modelport::onnx::FileModel> model = modelport::onnx::ReadModel(file, "m.onnx.data");
  modelport::FuzzCheckFileError(model.status());
  if (!model.ok()) return 0;
  const absl::Status found = modelport::onnx::FindElements(file, *model);
  modelport::FuzzCheckFileError(found);
  if (!found.ok()) return 0;
  size_t within = 0, external = 0;
  for (const auto& [name, tensor] : model->constants) {
    modelport::FuzzCheck(
        tensor.bytes.empty() || (tensor.bytes.data() >= file.data() &&
                                 tensor.bytes.data() + tensor.bytes.size() <= file.data() + file.size()),
        "elements lie within the files");
    (tensor.is_external ? external : within) += tensor.bytes.size();
  }
  modelport::FuzzCheck(within <= file.size() && external <= file.size(), "no two tensors of a file overlap");
  return 0;
}
