#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_ATTRIBUTE_FACT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_ATTRIBUTE_FACT_H_

#include <ATen/core/ivalue.h>

#include <string>

#include "common/torchscript/lint/fact.h"

namespace modelport {

// The fact about the tensors in `value`, a constant or an attribute that is neither parameter nor buffer. `place` has
// every member that describes where `value` is; this function sets the members `value` and `is_device`.
Fact HeldTensorsFact(const c10::IValue& value, const FixedOption& place);

// The fact about the attribute `name` of the module `owner`, whose path is `path`.
Fact AttributeFact(const c10::ivalue::Object& owner, const std::string& path, const std::string& name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_ATTRIBUTE_FACT_H_
