#ifndef MODELPORT_ARTIFACT_BUILD_FIX_SIZE_H_
#define MODELPORT_ARTIFACT_BUILD_FIX_SIZE_H_

#include <vector>

#include "absl/status/status.h"
#include "common/module_tree/size_tables.h"
#include "common/tensor/image_size.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Makes `module` one for images of `size` only: computes each of `tables`, all of its tree, and stores it in a buffer,
// which the table's method returns from then on. With any other size the method fails, and its message tells the size
// and the cure. Weights stay, also those that only the tables need.
//   InvalidArgument  a method cannot compute its table for this size
absl::Status FixSize(const std::vector<SizeTable>& tables, const ImageSize& size, torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_FIX_SIZE_H_
