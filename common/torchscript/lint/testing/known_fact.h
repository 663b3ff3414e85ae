#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_TESTING_KNOWN_FACT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_TESTING_KNOWN_FACT_H_

#include <utility>

#include "common/torchscript/lint/fact.h"

namespace modelport {

// The fact about a literal or a module.
inline Fact KnownFact(c10::IValue value) {
  Fact fact;
  fact.value = std::move(value);
  return fact;
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_TESTING_KNOWN_FACT_H_
