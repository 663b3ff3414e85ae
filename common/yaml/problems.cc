#include "common/yaml/problems.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

std::string Indented(absl::string_view message) {
  return absl::StrCat("\n  ", absl::StrReplaceAll(message, {{"\n", "\n  "}}));
}

bool ComesBefore(const YamlMark& a, const YamlMark& b) {
  return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
}

}  // namespace

void YamlProblems::Add(const YamlMark& mark, absl::string_view message) {
  if (++size_ > kShown) return;
  const std::string text = PrintableLines(message);
  problems_.emplace_back(mark, mark.file.empty() ? text : absl::StrCat(MarkString(mark), ": ", text));
}

void YamlProblems::Append(const YamlProblems& others) {
  size_ += others.size_;
  for (const auto& problem : others.problems_) {
    if (problems_.size() < kShown) problems_.push_back(problem);
  }
}

absl::Status YamlProblems::status() const {
  if (problems_.empty()) return absl::OkStatus();
  if (problems_.size() == 1) return absl::InvalidArgumentError(problems_[0].second);
  std::vector<std::pair<YamlMark, std::string>> sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return ComesBefore(a.first, b.first); });
  std::string text = absl::StrCat(subject_, ": ", size_ > kShown ? "more than " : "", sorted.size(), " problems");
  for (const auto& [mark, message] : sorted) absl::StrAppend(&text, Indented(message));
  return absl::InvalidArgumentError(text);
}

absl::Status JoinStatuses(absl::string_view subject, const std::vector<absl::Status>& statuses) {
  std::vector<absl::Status> failed;
  std::copy_if(statuses.begin(), statuses.end(), std::back_inserter(failed), [](const auto& s) { return !s.ok(); });
  if (failed.empty()) return absl::OkStatus();
  if (failed.size() == 1) return failed[0];
  std::string text = absl::StrCat(subject, ": ", failed.size(), " failures");
  for (const absl::Status& status : failed) absl::StrAppend(&text, Indented(status.message()));
  return absl::InvalidArgumentError(text);
}

}  // namespace modelport
