// A reference, which `verify` and `parity` read. The input is the header of its safetensors file, in JSON.
#include <string>

#include "absl/status/statusor.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/io/testing/memory_file.h"
#include "common/torchscript/parity/reference.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string sixteen(16, '\1');
  const modelport::MemoryFile file(modelport::SafetensorsFile(modelport::FuzzText(data, size), sixteen));
  const absl::StatusOr<modelport::Reference> reference = modelport::ReadReference(file.path());
  modelport::FuzzCheckFileError(reference.status());
  if (reference.ok()) modelport::FuzzCheck(!reference->expected.empty(), "a reference expects a tensor");
  return 0;
}
