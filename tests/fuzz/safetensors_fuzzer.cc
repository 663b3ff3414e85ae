// The reader of safetensors files, and the tensors that it finds.
#include "common/checkpoint/readers.h"
#include "tests/fuzz/read_tensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view file = modelport::FuzzText(data, size);
  modelport::FuzzReadTensors(modelport::ReadSafetensors(file), file);
  return 0;
}
