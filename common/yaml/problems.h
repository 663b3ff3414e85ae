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
  // A summary begins with `subject`, usually the file's path.
  explicit YamlProblems(std::string subject) : subject_(std::move(subject)) {}

  // Adds a problem at `mark`. If the problem has no place in a file, `mark` has no file. `message` may quote the file:
  // status() has PrintableLines(message).
  void Add(const YamlMark& mark, absl::string_view message);

  // Adds the problems of `others`.
  void Append(const YamlProblems& others);

  size_t size() const { return size_; }

  // Whether there are as many problems as status() shows, so that the search for problems can stop.
  bool enough() const { return size_ >= kShown; }

  // OK if there are none, else InvalidArgument. A single problem is the whole message:
  //   models/family/modules.yaml:41:5: unknown field "paramaters" in Attention; nearest: parameters
  // Several problems follow a summary, indented, in the order of files and lines:
  //   models/family/modules.yaml: 3 problems
  // If there are more than 100, it shows those that were found first.
  absl::Status status() const;

 private:
  static constexpr size_t kShown = 100;

  std::string subject_;
  size_t size_ = 0;
  std::vector<std::pair<YamlMark, std::string>> problems_;  // The first kShown.
};

// Joins the statuses of several parts: OK if all are OK, the failed status if only one failed, else InvalidArgument
// with "SUBJECT: 2 failures" and the indented messages.
absl::Status JoinStatuses(absl::string_view subject, const std::vector<absl::Status>& statuses);

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_PROBLEMS_H_
