#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_EXPECTED_TENSORS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_EXPECTED_TENSORS_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/parity/reference.h"

namespace modelport {

// What a reference expects, to be looked up while a module runs.
class ExpectedTensors {
 public:
  // InvalidArgument if a name is neither an output nor a stage.
  static absl::StatusOr<ExpectedTensors> Index(const Reference& reference);

  // The name in the reference of what passes `point`; null if it expects nothing there.
  const std::string* Name(const ObservedTensor& point) const;

  // What passes `point` in the reference, in the floating dtype of `tensor`; undefined if that is unknown, also where a
  // slice is all that is known.
  at::Tensor Replacement(const ObservedTensor& point, const at::Tensor& tensor) const;

  // What `call` returned in the reference, a tensor, in the dtype `type` if both are floating; undefined as above.
  at::Tensor Result(const Stage& call, absl::optional<at::ScalarType> type) const;

  // Whether the reference tells of no other call of the submodule.
  bool IsOnlyCall(const Stage& call) const;

  // The stages by their names in the reference.
  const std::map<std::string, Stage>& stages() const { return stages_; }

 private:
  struct Expected {
    std::string name;
    at::Tensor tensor;
    bool is_whole;
  };

  std::map<std::string, Expected> tensors_;  // By StageName, or by the name of an output.
  std::map<std::string, Stage> stages_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_EXPECTED_TENSORS_H_
