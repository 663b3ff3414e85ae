#ifndef MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_HEADER_H_
#define MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_HEADER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/budget.h"
#include "common/tensor/shape.h"

namespace modelport {

// A tensor as the header of a safetensors file states it. Its shape, dtype and range are not compared yet.
struct SafetensorsEntry {
  std::string key;    // Made printable by Printable().
  std::string dtype;  // "F32".
  Shape shape;
  uint64_t begin = 0;  // The range of its bytes, counted from the end of the header.
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;        // In the header's order; keys are unique.
  std::map<std::string, std::string> metadata;  // __metadata__.
};

// Parses the JSON text of a header, and spends `budget` on the entries that it makes.
//   DataLoss          not JSON in UTF-8, not the structure that safetensors prescribes, or a key that occurs twice
//   InvalidArgument   the budget is exceeded
absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(absl::string_view json, Budget& budget);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_HEADER_H_
