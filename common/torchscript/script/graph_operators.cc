#include "common/torchscript/script/graph_operators.h"

#include <torch/csrc/jit/frontend/source_range.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <set>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

// Generated code may be one line of megabytes.
constexpr size_t kMaxText = 1000;

SourceLine LineOf(const torch::jit::SourceRange& range) {
  const auto place = range.file_line_col();
  if (!place || std::get<0>(*place).empty()) return {};
  const auto& source = range.source();
  const std::string text = source->get_line(source->lineno_for_offset(range.start())).str();
  return {absl::StrCat(std::get<0>(*place), ":", std::get<1>(*place)),
          std::string(absl::StripAsciiWhitespace(text).substr(0, kMaxText))};
}

// Instead of source text, tracing records a stack of Python calls: "net.py(26): forward".
bool IsCallStack(const SourceLine& line) {
  return absl::StartsWith(line.text, absl::StrCat(line.place.substr(0, line.place.rfind(':')), "("));
}

}  // namespace

const std::vector<std::string>& OperatorNames() {
  static const auto* names = [] {
    std::set<std::string> sorted;
    for (const auto& known : torch::jit::getAllOperators()) {
      const std::string& name = known->schema().name();
      if (name.rfind("aten::", 0) == 0 && name.rfind("aten::_", 0) != 0) sorted.insert(name.substr(6));
    }
    return new std::vector<std::string>(sorted.begin(), sorted.end());
  }();
  return *names;
}

bool CompilerHasOperator(const std::string& name) {
  return !torch::jit::getAllOperatorsFor(c10::Symbol::aten(name)).empty();
}

SourceLine FindSourceLine(const torch::jit::SourceRange& range) {
  if (range.source() == nullptr) return {};
  const SourceLine archived = LineOf(range);
  const auto original = range.findSourceRangeThatGenerated();
  SourceLine line = original ? LineOf(*original) : SourceLine();
  if (line.place.empty()) return archived;
  if (IsCallStack(line)) line.text = archived.text;
  return line;
}

}  // namespace modelport
