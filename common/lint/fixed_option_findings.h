// How findings speak of dtypes and devices that the file fixes.
#ifndef MODELPORT_COMMON_LINT_FIXED_OPTION_FINDINGS_H_
#define MODELPORT_COMMON_LINT_FIXED_OPTION_FINDINGS_H_

#include <set>
#include <string>
#include <tuple>

#include "common/lint/fact.h"
#include "common/lint/finding.h"
#include "common/lint/step.h"

namespace modelport {

// "aten::zeros makes a tensor of float32, the default".
std::string DescribeFixedOption(const FixedOption& option);

// What to write instead.
std::string CureFixedOption(const FixedOption& option);

// The fixed options of which one finding each is enough.
class FixedOptionsSeen {
 public:
  // False if it was there.
  bool Insert(const FixedOption& option);

 private:
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen_;
};

// "aten::linear at net.py:12".
std::string DescribeStep(const Step& step);

// A finding about `option`, at its place.
Finding FixedOptionFinding(const FixedOption& option, std::string message);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_FIXED_OPTION_FINDINGS_H_
