#ifndef MODELPORT_TOOLS_FLAGS_H_
#define MODELPORT_TOOLS_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace modelport {

// Sets the flags that `arguments` give, as --name=value, --name value, --name or --noname; "--" is ignored.
// Returns the other arguments, those without a dash. InvalidArgument names an unknown flag, or a value that its flag
// does not take.
absl::StatusOr<std::vector<std::string>> ParseFlags(absl::Span<const char* const> arguments);

// What --help prints: `usage`, then a line for each flag of the program.
std::string FlagsHelp(absl::string_view usage);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_FLAGS_H_
