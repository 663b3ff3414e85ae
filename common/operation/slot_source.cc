#include "common/operation/slot_source.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/operation/operation.h"
#include "common/operation/source_input.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

absl::StatusOr<Array> ArrayOf(const SlotSource& source) {
  if (absl::optional<TensorView> view = source.view()) return Array{*std::move(view)};
  const std::shared_ptr<char[]> memory =
      std::make_shared_for_overwrite<char[]>(*ElementCount(source.shape()) * ByteSize(source.dtype()));
  RETURN_IF_ERROR(source.Evaluate(memory.get()));
  return Array{{source.dtype(), source.shape(), RowMajorStrides(source.shape()), memory.get()}, memory};
}

// The shapes of `sources`, which must have one dtype.
absl::StatusOr<std::vector<Shape>> ShapesOf(const std::vector<SlotSource>& sources) {
  std::vector<Shape> shapes;
  for (const SlotSource& source : sources) {
    shapes.push_back(source.shape());
    if (source.dtype() == sources.front().dtype()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the tensors have different dtypes: ", DTypeName(sources.front().dtype()), " and ", DTypeName(source.dtype())));
  }
  return shapes;
}

}  // namespace

absl::StatusOr<Computed> Computed::Make(std::vector<SlotSource> inputs, absl::Span<const Operation> operations,
                                        size_t result) {
  Computed computed;
  ASSIGN_OR_RETURN(std::vector<Shape> shapes, ShapesOf(inputs));
  computed.dtype_ = inputs.front().dtype();
  for (const Operation& operation : operations) {
    const std::vector<Shape> before = shapes;
    RETURN_IF_ERROR(Annotate(operation.Infer(&computed.dtype_, &shapes), operation.text()));
    computed.changes_numbers_ |= operation.ChangesNumbers(before);
  }
  for (const SlotSource& input : inputs) {
    computed.changes_numbers_ |= input.computed() != nullptr && input.computed()->changes_numbers();
  }
  computed.sources_ = std::move(inputs);
  computed.operations_.assign(operations.begin(), operations.end());
  computed.result_ = result;
  computed.shape_ = std::move(shapes[result]);
  return computed;
}

std::vector<SourceInput> Computed::inputs() const {
  std::vector<SourceInput> all;
  for (const SlotSource& source : sources_) {
    std::vector<SourceInput> inputs = source.inputs();
    all.insert(all.end(), std::make_move_iterator(inputs.begin()), std::make_move_iterator(inputs.end()));
  }
  return all;
}

absl::optional<TensorView> Computed::view() const {
  if (std::any_of(operations_.begin(), operations_.end(), std::mem_fn(&Operation::copies))) return absl::nullopt;
  for (const SlotSource& source : sources_) {
    if (!source.view()) return absl::nullopt;
  }
  return Apply()->view;  // Operations that copy nothing do not fail.
}

absl::Status Computed::Evaluate(char* out) const {
  ASSIGN_OR_RETURN(const Array array, Apply());
  CopyRowMajor(array.view, out);
  return absl::OkStatus();
}

std::string Computed::operation() const {
  const std::string text = absl::StrJoin(
      operations_, ", ", [](std::string* out, const Operation& operation) { out->append(operation.text()); });
  const bool has_others = CountResults(operations_, sources_.size()) > size_t{1};
  return has_others ? absl::StrCat(text, "[", result_, "]") : text;
}

bool Computed::operator==(const Computed&) const = default;

absl::StatusOr<Array> Computed::Apply() const {
  std::vector<Array> arrays;
  for (const SlotSource& source : sources_) {
    ASSIGN_OR_RETURN(Array array, ArrayOf(source));
    arrays.push_back(std::move(array));
  }
  for (const Operation& operation : operations_) {
    absl::StatusOr<std::vector<Array>> results = operation.Apply(std::move(arrays));
    if (!results.ok()) return Annotate(results.status(), operation.text());
    arrays = *std::move(results);
  }
  return std::move(arrays[result_]);
}

const Shape& SlotSource::shape() const {
  return std::visit([](const auto& kind) -> const Shape& { return kind.shape(); }, kind_);
}

DType SlotSource::dtype() const {
  return std::visit([](const auto& kind) { return kind.dtype(); }, kind_);
}

std::vector<SourceInput> SlotSource::inputs() const {
  return std::visit([](const auto& kind) { return kind.inputs(); }, kind_);
}

absl::optional<TensorView> SlotSource::view() const {
  return std::visit([](const auto& kind) { return kind.view(); }, kind_);
}

std::string SlotSource::operation() const {
  return std::visit([](const auto& kind) { return kind.operation(); }, kind_);
}

absl::Status SlotSource::Evaluate(char* out) const {
  return std::visit([out](const auto& kind) { return kind.Evaluate(out); }, kind_);
}

absl::Status VerifyInputs(const Checkpoint& checkpoint, absl::Span<const SlotSource> sources) {
  std::set<int> storages;
  for (const SlotSource& source : sources) {
    for (const SourceInput& input : source.inputs()) storages.insert(input.tensor->storage);
  }
  return VerifyCrc32(checkpoint, {storages.begin(), storages.end()});
}

}  // namespace modelport
