// What a tool tells the program that called it: with --json one object on stdout, in the place of tables.
#ifndef MODELPORT_TOOLS_COMMAND_REPORT_H_
#define MODELPORT_TOOLS_COMMAND_REPORT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"
#include "tools/command/flags.h"

namespace modelport {

// The flag --json. A tool that has it adds to Report what docs/json.md says, and prints no table if it is given.
const FlagGroup& ReportFlags();

// Whether --json is given.
bool IsReportWanted();

// The report of the command that runs, an object without the fields that ReportText adds.
nlohmann::ordered_json& Report();

// The report as text: {"schema": "modelport.list.1", "ok": true, ...} for the command `list`. After an error "ok" is
// false, and "error" has its code and message; what the command has added until then follows.
std::string ReportText(absl::string_view command, const absl::Status& status);

// What `json` says, which is JSON, such as a manifest; null if it is none.
nlohmann::ordered_json ParsedReport(const std::string& json);

// {"code": "NOT_FOUND", "message": "..."}.
nlohmann::ordered_json ErrorReport(const absl::Status& status);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_REPORT_H_
