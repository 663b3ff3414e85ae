// The reader of zip archives of torch.save. The input is the archive's data.pkl: the archive is made around it, with
// its CRC-32, which libFuzzer does not guess. The archive's own bytes are the input of zip_directory_fuzzer.
#include <string>
#include <utility>
#include <vector>

#include "common/checkpoint/readers.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "tests/fuzz/read_tensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string pickle(modelport::FuzzText(data, size));
  const std::string eight(8, '\0'), many(4096, '\0');
  const std::string file = modelport::ZipArchive({{"a/data.pkl", pickle}, {"a/data/0", eight}, {"a/data/1", many}});
  modelport::FuzzReadTensors(modelport::ReadTorchZip(file), file);
  return 0;
}
