// The reader of files that torch.save wrote before PyTorch 1.6, and the tensors that it finds.
#include "common/checkpoint/readers.h"
#include "tests/fuzz/read_tensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view file = modelport::FuzzText(data, size);
  modelport::FuzzReadTensors(modelport::ReadTorchLegacy(file), file);
  return 0;
}
