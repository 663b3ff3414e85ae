// The config.json beside a checkpoint.
#include <string>

#include "absl/status/statusor.h"
#include "common/checkpoint/model_config.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto config = modelport::ModelConfig::Parse("m/config.json", modelport::FuzzText(data, size));
  modelport::FuzzCheckFileError(config.status());
  if (!config.ok()) return 0;
  const bool has_long = config->Find(std::string(201, 'n')).has_value();
  modelport::FuzzCheck(!has_long, "a field of a long path is left out");
  return 0;
}
