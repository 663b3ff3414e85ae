#ifndef MODELPORT_COMMON_LINT_ATTRIBUTE_FACT_H_
#define MODELPORT_COMMON_LINT_ATTRIBUTE_FACT_H_

#include <ATen/core/ivalue.h>

#include <string>

#include "common/lint/fact.h"

namespace modelport {

// What is known of the tensors in `value`, which the file holds outside parameters and buffers. `place` says where: all
// of it but value and is_device.
Fact HeldTensorsFact(const c10::IValue& value, const FixedOption& place);

// What is known of the attribute `name` of the module `owner`, whose path is `path`.
Fact AttributeFact(const c10::ivalue::Object& owner, const std::string& path, const std::string& name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_ATTRIBUTE_FACT_H_
