// How findings speak of dtypes and devices that the file fixes.
#ifndef MODELPORT_COMMON_LINT_LITERAL_FINDINGS_H_
#define MODELPORT_COMMON_LINT_LITERAL_FINDINGS_H_

#include <set>
#include <string>
#include <tuple>

#include "common/lint/fact.h"
#include "common/lint/finding.h"
#include "common/lint/step.h"

namespace modelport {

// "aten::zeros makes a float32 tensor, the default".
std::string DescribeLiteral(const Literal& literal);

// What to write instead.
std::string CureLiteral(const Literal& literal);

// The literals of which one finding each is enough.
class LiteralsSeen {
 public:
  // False if it was there.
  bool Insert(const Literal& literal);

 private:
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen_;
};

// "aten::linear at net.py:12".
std::string DescribeStep(const Step& step);

// A finding about `literal`, at its place.
Finding LiteralFinding(const Literal& literal, std::string message);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_LITERAL_FINDINGS_H_
