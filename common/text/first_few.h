// Lists in messages: the first five, and how many more there are.
#ifndef MODELPORT_COMMON_TEXT_FIRST_FEW_H_
#define MODELPORT_COMMON_TEXT_FIRST_FEW_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace modelport {

// "a, b, c, d, e, +3 more": the first five of `names`, printable and in brief.
std::string FirstFew(const std::vector<std::string>& names);

// A newline, `indent` and `line(i)` for each of the first five of `count` items. If there are more, a line
// "+3 more" follows, or "+3 more missing" if they are `what`. Calls `line` for no other item.
std::string FirstFewLines(size_t count, absl::string_view indent, absl::FunctionRef<std::string(size_t)> line,
                          absl::string_view what = "");

// The same for lines that are made already.
std::string FirstFewLines(const std::vector<std::string>& lines, absl::string_view indent);

// "module head", "the root module" or "3 modules: the root, head, neck": modules by their paths, of which "" is the
// root.
std::string DescribeModules(const std::vector<std::string>& paths);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_FIRST_FEW_H_
