#include "registry/large_variant.h"

#include <cstdint>

#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

constexpr int64_t kLargeBytes = 500'000'000;

}  // namespace

bool IsLarge(const ModuleTree& tree) {
  int64_t bytes = 0;
  for (const Slot& slot : tree.slots) {
    bytes += *ElementCount(slot.shape) * ByteSize(slot.dtype.value_or(DType::kFloat32));
  }
  return bytes > kLargeBytes;
}

}  // namespace modelport
