#include "tools/diff/compare_tensors.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// The elements of a tensor in row-major order: in the file, or in memory of its own.
class RowMajorElements {
 public:
  static absl::StatusOr<RowMajorElements> Read(const std::string& name, const SlotSource& source) {
    RowMajorElements elements;
    const absl::optional<TensorView> view = source.view();
    if (view && view->strides == RowMajorStrides(view->shape)) {
      elements.view_ = *view;
      return elements;
    }
    elements.memory_ = std::make_unique_for_overwrite<char[]>(*ElementCount(source.shape()) * ByteSize(source.dtype()));
    if (const absl::Status status = source.Evaluate(elements.memory_.get()); !status.ok()) {
      return Annotate(Annotate(status, name), source.inputs().front().checkpoint.path());
    }
    elements.view_ = {source.dtype(), source.shape(), RowMajorStrides(source.shape()), elements.memory_.get()};
    return elements;
  }

  const TensorView& view() const { return view_; }

 private:
  std::unique_ptr<char[]> memory_;
  TensorView view_;
};

TensorComparison::Header HeaderOf(const SlotSource& source) { return {source.dtype(), source.shape()}; }

absl::StatusOr<TensorComparison> Compare(const std::string& name, const SlotSource& a, const SlotSource& b) {
  TensorComparison comparison = {name, HeaderOf(a), HeaderOf(b), absl::nullopt};
  if (a.shape() != b.shape()) return comparison;
  ASSIGN_OR_RETURN(const RowMajorElements a_elements, RowMajorElements::Read(name, a));
  ASSIGN_OR_RETURN(const RowMajorElements b_elements, RowMajorElements::Read(name, b));
  comparison.values = CompareElements(a_elements.view(), b_elements.view());
  return comparison;
}

}  // namespace

TensorComparison::Kind TensorComparison::kind() const {
  if (!b) return Kind::kOnlyA;
  if (!a) return Kind::kOnlyB;
  if (a->shape != b->shape) return Kind::kShape;
  if (a->dtype != b->dtype) return Kind::kDType;
  return values->is_equal() ? Kind::kEqual : Kind::kValues;
}

absl::StatusOr<std::vector<TensorComparison>> CompareTensors(const std::vector<NamedTensor>& a,
                                                             const std::vector<NamedTensor>& b,
                                                             const std::function<void(int64_t)>& done) {
  absl::flat_hash_map<absl::string_view, const SlotSource*> others;
  for (const NamedTensor& tensor : b) others.emplace(tensor.name, &tensor.source);
  absl::flat_hash_set<absl::string_view> names;
  std::vector<TensorComparison> comparisons;
  for (const NamedTensor& tensor : a) {
    names.insert(tensor.name);
    const auto other = others.find(tensor.name);
    if (other == others.end()) {
      comparisons.push_back({tensor.name, HeaderOf(tensor.source), absl::nullopt, absl::nullopt});
    } else {
      ASSIGN_OR_RETURN(TensorComparison comparison, Compare(tensor.name, tensor.source, *other->second));
      comparisons.push_back(std::move(comparison));
      done(*ElementCount(tensor.source.shape()) * ByteSize(tensor.source.dtype()));
    }
  }
  for (const NamedTensor& tensor : b) {
    if (names.contains(tensor.name)) continue;
    comparisons.push_back({tensor.name, absl::nullopt, HeaderOf(tensor.source), absl::nullopt});
  }
  return comparisons;
}

}  // namespace modelport
