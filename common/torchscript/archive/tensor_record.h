#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_TENSOR_RECORD_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_TENSOR_RECORD_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "common/module_tree/module_tree.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/archive/artifact_file.h"

namespace modelport {

// The record of an artifact that holds the tensor of `slot`, the artifact's tensor of that index, with elements of
// `dtype`. An archive of Modelport numbers its tensors in the order of TensorNames.
//   DataLoss  the record is missing, is compressed or has another size
absl::StatusOr<const ZipRecord*> FindTensorRecord(const ArtifactFile& file, size_t index, const Slot& slot,
                                                  DType dtype);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_TENSOR_RECORD_H_
