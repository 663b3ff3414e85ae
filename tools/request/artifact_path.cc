#include "tools/request/artifact_path.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/text/first_few.h"
#include "tools/command/user_path.h"

namespace modelport {

absl::StatusOr<std::string> ArtifactPath(const std::string& flag, std::vector<std::string> paths) {
  if (!flag.empty()) paths.push_back(ResolveUserPath(flag));
  if (paths.size() == 1) return paths.front();
  return absl::InvalidArgumentError(
      paths.empty() ? "the artifact is missing: give its path beside the flags, or as --artifact=FILE"
                    : absl::StrCat("wants one artifact, has ", paths.size(), ": ", FirstFew(paths)));
}

}  // namespace modelport
