#include "common/torchscript/archive/tensor_record.h"

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/tensor/shape.h"

namespace modelport {

absl::StatusOr<const ZipRecord*> FindTensorRecord(const ArtifactFile& file, size_t index, const Slot& slot,
                                                  DType dtype) {
  const std::string path = absl::StrCat("data/", index);
  const std::string context = absl::StrCat(file.path(), ": ", path, " (", slot.name, "): ");
  const ZipRecord* const record = file.Find(path);
  if (record == nullptr) return absl::DataLossError(absl::StrCat(context, "missing"));
  const uint64_t wants = *ElementCount(slot.shape) * ByteSize(dtype);
  if (!record->deflated && record->bytes.size() == wants) return record;
  return absl::DataLossError(absl::StrCat(context, "wants ", wants, " bytes, has ", record->bytes.size(),
                                          record->deflated ? " compressed" : ""));
}

}  // namespace modelport
