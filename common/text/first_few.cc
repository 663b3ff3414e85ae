#include "common/text/first_few.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr size_t kFew = 5;

}  // namespace

std::string FirstFew(const std::vector<std::string>& names) {
  const auto append_brief = [](std::string* out, const std::string& name) { absl::StrAppend(out, Brief(name)); };
  const size_t shown = std::min(names.size(), kFew);
  const std::string few = absl::StrJoin(names.begin(), names.begin() + shown, ", ", append_brief);
  return shown == names.size() ? few : absl::StrCat(few, ", +", names.size() - shown, " more");
}

std::string FirstFewLines(size_t count, absl::string_view indent, absl::FunctionRef<std::string(size_t)> line,
                          absl::string_view what) {
  const size_t shown = std::min(count, kFew);
  std::string text;
  for (size_t i = 0; i < shown; ++i) absl::StrAppend(&text, "\n", indent, line(i));
  if (shown == count) return text;
  return absl::StrCat(text, "\n", indent, "+", count - shown, " more", what.empty() ? "" : " ", what);
}

std::string FirstFewLines(const std::vector<std::string>& lines, absl::string_view indent) {
  return FirstFewLines(lines.size(), indent, [&](size_t i) { return lines[i]; });
}

std::string DescribeModules(const std::vector<std::string>& paths) {
  if (paths.size() == 1) {
    return paths.front().empty() ? "the root module" : absl::StrCat("module ", Brief(paths.front()));
  }
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(path.empty() ? "the root" : path);
  return absl::StrCat(names.size(), " modules: ", FirstFew(names));
}

}  // namespace modelport
