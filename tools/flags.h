#ifndef MODELPORT_TOOLS_FLAGS_H_
#define MODELPORT_TOOLS_FLAGS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace modelport {

// Sets the flags that `arguments` give, as --name=value, --name value, --name or --noname; a "--" means nothing.
// InvalidArgument names an argument that is no flag, or a value that its flag does not take.
absl::Status ParseFlags(absl::Span<const char* const> arguments);

// What --help prints: `usage`, then a line for each flag of the program.
std::string FlagsHelp(absl::string_view usage);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_FLAGS_H_
