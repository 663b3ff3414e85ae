#include "artifact/verify/stored_tables.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/max.h>
#include <ATen/ops/sub.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/module_tree/module_tree.h"
#include "common/module_tree/size_tables.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/image_size.h"
#include "common/torchscript/archive/tensor_record.h"
#include "common/torchscript/proof/epsilon.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

// Places and angles, from which tables are computed in float32, are numbers up to the sides of the image, and what is
// computed from them changes as much as they do. A float16 or bfloat16 is rounded once more.
double AllowedDifference(const ImageSize& size, at::ScalarType type) {
  return std::max(std::max(size.height, size.width) * Epsilon(at::kFloat), Epsilon(type));
}

// The tensors of `tables` in `module`, which FixSize put there.
std::vector<at::Tensor> TensorsOf(const std::vector<SizeTable>& tables, const torch::jit::Module& module) {
  std::map<std::string, at::Tensor> buffers;
  for (const auto& buffer : module.named_buffers()) buffers.emplace(buffer.name, buffer.value);
  std::vector<at::Tensor> tensors;
  for (const SizeTable& table : tables) tensors.push_back(buffers[table.Path()]);
  return tensors;
}

// Copies what `record` stores to `table`, and returns how far that was from it, as a part of its largest element.
double Replace(const ZipRecord& record, const at::Tensor& table) {
  const at::NoGradGuard no_grad;
  if (std::memcmp(table.const_data_ptr(), record.bytes.data(), record.bytes.size()) == 0) return 0;
  const at::Tensor computed = table.to(at::kDouble, /*non_blocking=*/false, /*copy=*/true);
  std::memcpy(table.mutable_data_ptr(), record.bytes.data(), record.bytes.size());
  const at::Tensor difference = at::sub(table.to(at::kDouble), computed).abs().max();
  return difference.item().toDouble() / computed.abs().max().item().toDouble();
}

}  // namespace

absl::StatusOr<double> TakeStoredTables(const ArtifactFile& file, const TargetTree& tree,
                                        const torch::jit::Module& module) {
  ASSIGN_OR_RETURN(const std::vector<at::Tensor> tensors, CatchTorch([&] { return TensorsOf(tree.tables, module); }));
  double largest = 0;
  for (size_t i = 0; i < tree.tables.size(); ++i) {
    const std::string path = tree.tables[i].Path();
    const at::Tensor& table = tensors[i];
    const Slot bytes = {path, {static_cast<int64_t>(table.nbytes())}};
    ASSIGN_OR_RETURN(const ZipRecord* const record,
                     FindTensorRecord(file, tree.tables[i].slots_before + i, bytes, DType::kUInt8));
    ASSIGN_OR_RETURN(const double difference, CatchTorch([&] { return Replace(*record, table); }));
    // NaN is no small difference.
    if (!(difference <= AllowedDifference(*tree.static_shape, table.scalar_type()))) {
      return absl::DataLossError(absl::StrCat(file.path(), ": ", path, ": is not the table of ",
                                              ImageSizeString(*tree.static_shape), ": differs by ", difference,
                                              " of its largest element"));
    }
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace modelport
