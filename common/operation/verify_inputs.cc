#include "common/operation/verify_inputs.h"

#include <set>

#include "common/operation/source_input.h"

namespace modelport {

absl::Status VerifyInputs(const Checkpoint& checkpoint, absl::Span<const SlotSource> sources) {
  std::set<int> storages;
  for (const SlotSource& source : sources) {
    for (const SourceInput& input : source.inputs()) storages.insert(input.tensor->storage);
  }
  return VerifyCrc32(checkpoint, {storages.begin(), storages.end()});
}

}  // namespace modelport
