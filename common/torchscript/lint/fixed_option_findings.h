// The texts of findings about dtypes and devices that the file fixes.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_FIXED_OPTION_FINDINGS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_FIXED_OPTION_FINDINGS_H_

#include <set>
#include <string>
#include <tuple>

#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/step.h"

namespace modelport {

// "aten::zeros makes a tensor of float32, the default".
std::string DescribeFixedOption(const FixedOption& option);

// The cure: what to write instead of `option`.
std::string CureFixedOption(const FixedOption& option);

// Collects the fixed options that have a finding already, since one for each is enough.
class FixedOptionsSeen {
 public:
  // Returns false if an equal option was inserted before.
  bool Insert(const FixedOption& option);

 private:
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen_;
};

// "aten::linear at net.py:12".
std::string DescribeStep(const Step& step);

// A finding about `option`, with the option's module, line and cure.
Finding FixedOptionFinding(const FixedOption& option, std::string message);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_FIXED_OPTION_FINDINGS_H_
