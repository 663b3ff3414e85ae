#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_RESULT_PARTS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_RESULT_PARTS_H_

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <string>
#include <vector>

namespace modelport {

// A tensor or another value that a method's result consists of, as the result's type tells it.
struct ResultPart {
  std::string place;  // "result", "result[1]", "result[i][0]" of a list's items.
  bool is_tensor = false;
};

// Whether `type` is Dict[str, Tensor], whose parts only a result tells.
bool IsTensorDict(const c10::Type& type);

// The parts of a result of `type`: of a tuple its elements; of a list of tensors or tuples the parts of any item; of
// any other type the result itself.
std::vector<ResultPart> PartsOf(const c10::Type& type);

// The values of each part in `result`, which is of `type`: one, or one for each item of a list.
std::vector<std::vector<c10::IValue>> SplitResult(const c10::IValue& result, const c10::Type& type);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_RESULT_PARTS_H_
