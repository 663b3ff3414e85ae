#include "common/torchscript/weights/weights.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/io/mapped_file.h"
#include "common/operation/slot_source.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"
#include "common/text/first_few.h"
#include "common/text/units.h"
#include "common/torchscript/script/torch_status.h"
#include "common/torchscript/weights/count_values.h"

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

// NaN and infinite values before any conversion. Called only for a bound tensor that has some: it may read all of the
// source.
absl::StatusOr<int64_t> CountInSource(const SlotSource& source) {
  ASSIGN_OR_RETURN(const at::Tensor values, ReadSource(source));
  return CountNonfinite(values.contiguous());
}

std::string Describe(absl::string_view heading, const std::vector<std::string>& slots) {
  return slots.empty() ? "" : absl::StrCat("\n  ", heading, ":", FirstFewLines(slots, "    "));
}

// float32 is the widest dtype of an artifact.
std::string OverflowCure(const BoundTensors& bound) {
  const bool is_half = std::any_of(bound.tensors.begin(), bound.tensors.end(),
                                   [](const at::Tensor& tensor) { return tensor.scalar_type() == at::kHalf; });
  return is_half ? "overflow in float16: --dtype=float32 or bfloat16 holds larger numbers"
                 : "larger than any number of the artifact's dtype, in which they become infinite";
}

// That of LibTorch's own tensors, so that kernels take the same path.
constexpr int64_t kAlignment = 64;

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

absl::StatusOr<at::Tensor> ReadSource(const SlotSource& source) {
  const at::ScalarType type = ToScalarType(source.dtype());
  const absl::optional<TensorView> view = source.view();
  if (view && view->is_aligned() && *ElementCount(view->shape) > 0) {
    return CatchTorch([&] { return at::from_blob(const_cast<char*>(view->data), view->shape, view->strides, type); });
  }
  ASSIGN_OR_RETURN(at::Tensor tensor, CatchTorch([&] { return at::empty(source.shape(), type); }));
  RETURN_IF_ERROR(source.Evaluate(static_cast<char*>(tensor.mutable_data_ptr())));
  return tensor;
}

std::vector<at::Tensor> TensorsOf(const std::vector<BoundTensors>& bound) {
  std::vector<at::Tensor> tensors;
  for (const BoundTensors& part : bound) tensors.insert(tensors.end(), part.tensors.begin(), part.tensors.end());
  return tensors;
}

int64_t TotalBytes(const std::vector<BoundTensors>& bound) {
  int64_t bytes = 0;
  for (const at::Tensor& tensor : TensorsOf(bound)) bytes += static_cast<int64_t>(tensor.nbytes());
  return bytes;
}

at::ScalarType ToScalarType(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return at::kDouble;
    case DType::kFloat32:
      return at::kFloat;
    case DType::kFloat16:
      return at::kHalf;
    case DType::kBFloat16:
      return at::kBFloat16;
    case DType::kFloat8E4M3:
      return at::kFloat8_e4m3fn;
    case DType::kFloat8E5M2:
      return at::kFloat8_e5m2;
    case DType::kInt64:
      return at::kLong;
    case DType::kInt32:
      return at::kInt;
    case DType::kInt16:
      return at::kShort;
    case DType::kInt8:
      return at::kChar;
    case DType::kUInt8:
      return at::kByte;
    case DType::kBool:
      return at::kBool;
    default:
      return at::ScalarType::Undefined;  // No slot takes it.
  }
}

absl::Status AuditValues(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree,
                         const BoundTensors& bound, bool allow_nonfinite) {
  std::vector<std::string> stored, overflowed;
  for (size_t i = 0; i < bound.tensors.size(); ++i) {
    const at::Tensor& tensor = bound.tensors[i];
    const int64_t count = CountNonfinite(tensor);
    if (count == 0) continue;
    const std::string line = absl::StrCat(tree.slots[i].name, ": ", count, " of ", tensor.numel(), " values");
    ASSIGN_OR_RETURN(const int64_t in_source, CountInSource(plan.sources[i]));
    if (in_source < count) {
      overflowed.push_back(line);
    } else if (!allow_nonfinite) {
      stored.push_back(line);
    }
  }
  if (stored.empty() && overflowed.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(checkpoint.path(), ": ", stored.size() + overflowed.size(), " tensors hold NaN or infinite values",
                   Describe("in the checkpoint; --allow_nonfinite exports them as they are", stored),
                   Describe(OverflowCure(bound), overflowed)));
}

absl::Status TensorFile::Append(const at::Tensor& tensor) {
  if (!file_) {
    ASSIGN_OR_RETURN(file_, OutputFile::Create(path_));
  }
  const size_t bytes = tensor.nbytes();
  RETURN_IF_ERROR(file_->Write({static_cast<const char*>(tensor.const_data_ptr()), bytes}));
  entries_.push_back({size_, tensor.sizes().vec(), tensor.scalar_type()});
  const size_t padding = (kAlignment - bytes % kAlignment) % kAlignment;
  RETURN_IF_ERROR(file_->Write(std::string(padding, '\0')));
  size_ += static_cast<int64_t>(bytes + padding);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<at::Tensor>> TensorFile::Map() const {
  std::vector<at::Tensor> tensors;
  if (entries_.empty()) return tensors;
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> mapped, MappedFile::Open(file_->ReadablePath()));
  for (const Entry& entry : entries_) {
    char* const data = const_cast<char*>(mapped->bytes().data() + entry.offset);
    tensors.push_back(at::from_blob(
        data, entry.shape, [mapped](void*) {}, entry.type));
  }
  return tensors;
}

}  // namespace modelport
