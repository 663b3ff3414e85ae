#ifndef MODELPORT_COMMON_YAML_PROBLEMS_H_
#define MODELPORT_COMMON_YAML_PROBLEMS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/yaml/document.h"

namespace modelport {

// The problems found in YAML files, collected so that an author sees all of them at once.
class YamlProblems {
 public:
  // `subject` is what a summary begins with, usually the file's path.
  explicit YamlProblems(std::string subject) : subject_(std::move(subject)) {}

  // A message about no place in a file has a mark without a file.
  void Add(const YamlMark& mark, absl::string_view message);

  // Adds those of `others`.
  void Append(const YamlProblems& others);

  size_t size() const { return size_; }

  // Whether there are so many that nobody reads further ones: work which may find more can end.
  bool enough() const { return size_ >= kShown; }

  // OK if there are none, else InvalidArgument, in the order of files and lines. One problem stands alone:
  //   models/dinov2/modules.yaml:41:5: unknown field "paramaters" in Attention; nearest: parameters
  // several follow a summary, indented:
  //   models/dinov2/modules.yaml: 3 problems
  // and of more than 100 only the first found do.
  absl::Status status() const;

 private:
  static constexpr size_t kShown = 100;

  std::string subject_;
  size_t size_ = 0;
  std::vector<std::pair<YamlMark, std::string>> problems_;  // At most kShown.
};

// Joins the statuses of several parts: OK if all are, the failed one if only one failed, else InvalidArgument with
// "`subject`: 2 failures" and the indented messages.
absl::Status JoinStatuses(absl::string_view subject, const std::vector<absl::Status>& statuses);

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_PROBLEMS_H_
