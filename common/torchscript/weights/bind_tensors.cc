#include "common/torchscript/weights/bind_tensors.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/operation/slot_source.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"
#include "common/text/units.h"
#include "common/torchscript/script/torch_status.h"
#include "common/torchscript/weights/read_source.h"
#include "common/torchscript/weights/tensor_file.h"

namespace modelport {
namespace {

// Whether a source can be used where it is in the file, as `dtype`.
bool CanBorrow(const SlotSource& source, DType dtype) {
  const absl::optional<TensorView> view = source.view();
  return view && view->dtype == dtype && view->strides == RowMajorStrides(view->shape) && view->is_aligned();
}

// A small file can describe tensors that repeat its bytes: by strides of 0, or all from one storage.
absl::Status CheckCopies(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree, DType dtype) {
  constexpr double kAllowance = 64e6;
  double bytes = 0;
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    const SlotSource& source = plan.sources[i];
    const DType wanted = tree.slots[i].dtype.value_or(dtype);
    if (source.inputs().empty() || CanBorrow(source, wanted)) continue;
    bytes += static_cast<double>(*ElementCount(source.shape())) * ByteSize(wanted);
  }
  const double file = static_cast<double>(checkpoint.size());
  if (bytes <= 2 * file + kAllowance) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(checkpoint.path(), ": its tensors repeat their elements: the file has ", FormatBytes(file),
                   ", copies of them would take ", FormatBytes(bytes),
                   "\n  save it as {key: tensor.contiguous()} or as safetensors"));
}

void NoteConversion(const std::string& slot, const at::Tensor& values, const at::Tensor& converted, Converted* note) {
  const Underflow underflow = CountUnderflow(values, converted);
  note->slots.push_back(slot);
  note->underflow.zeros += underflow.zeros;
  note->underflow.subnormals += underflow.subnormals;
}

// Binds the elements `values` of `source`.
void BindSlot(const Slot& slot, const SlotSource& source, DType dtype, at::Tensor values, BoundTensors* bound) {
  const at::Tensor tensor = values.to(ToScalarType(dtype)).contiguous();
  bound->tensors.push_back(tensor);
  if (source.inputs().empty() || source.dtype() == dtype) return;
  NoteConversion(slot.name, values, tensor, &bound->converted[source.dtype()]);
}

// Fills the slots of a module tree.
class Binder {
 public:
  explicit Binder(const std::string& made) : keeps_in_file_(!made.empty()), made_(made) {}

  absl::Status Add(const Slot& slot, const SlotSource& source, DType dtype) {
    ASSIGN_OR_RETURN(at::Tensor values, ReadSource(source));
    RETURN_IF_ERROR(CatchTorch([&] { BindSlot(slot, source, dtype, std::move(values), &bound_); }));
    at::Tensor& tensor = bound_.tensors.back();
    if (!keeps_in_file_ || CanBorrow(source, dtype) || tensor.nbytes() < kMinSizeInFile) return absl::OkStatus();
    RETURN_IF_ERROR(made_.Append(tensor));
    in_file_.push_back(bound_.tensors.size() - 1);
    tensor.reset();  // One at a time takes memory.
    return absl::OkStatus();
  }

  absl::StatusOr<BoundTensors> Finish() {
    ASSIGN_OR_RETURN(std::vector<at::Tensor> mapped, made_.Map());
    for (size_t i = 0; i < mapped.size(); ++i) bound_.tensors[in_file_[i]] = std::move(mapped[i]);
    return std::move(bound_);
  }

 private:
  static constexpr size_t kMinSizeInFile = 1'000'000;

  const bool keeps_in_file_;
  TensorFile made_;
  BoundTensors bound_;
  std::vector<size_t> in_file_;  // Indices of the tensors that are in `made_`.
};

}  // namespace

absl::StatusOr<BoundTensors> BindTensors(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree,
                                         DType dtype, const std::string& made) {
  RETURN_IF_ERROR(CheckCopies(checkpoint, plan, tree, dtype));
  Binder binder(made);
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    const Slot& slot = tree.slots[i];
    const absl::Status status = binder.Add(slot, plan.sources[i], slot.dtype.value_or(dtype));
    if (!status.ok()) return Annotate(Annotate(status, slot.name), checkpoint.path());
  }
  return binder.Finish();
}

}  // namespace modelport
