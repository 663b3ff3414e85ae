// What a tool tells the program that called it: with --json one object on stdout, in the place of tables.
#ifndef MODELPORT_TOOLS_COMMAND_REPORT_H_
#define MODELPORT_TOOLS_COMMAND_REPORT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"
#include "tools/command/flags.h"

namespace modelport {

// The flag --json of a tool, and what it prints. A tool that has it adds to `fields` what docs/json.md says, and prints
// no table if the report is wanted.
class Report {
 public:
  // Adds the flag to `group`.
  explicit Report(FlagGroup& group);
  ~Report();

  // Whether --json is given.
  bool is_wanted() const { return *json_; }
  AnyFlag& flag() { return json_; }

  // An object, at first without fields; it never has those that Text adds.
  nlohmann::ordered_json& fields() { return *fields_; }

  // The report as text: {"schema": "modelport.list.1", "ok": true, ...} for the command `list`. After an error "ok" is
  // false, and "error" has its code and message; the fields that were added until then follow.
  std::string Text(absl::string_view command, const absl::Status& status) const;

 private:
  Flag<bool> json_;
  const std::unique_ptr<nlohmann::ordered_json> fields_;
};

// What `json` says, which is JSON, such as a manifest; null if it is none.
nlohmann::ordered_json ParsedReport(const std::string& json);

// The exit status of a tool with --json, which tells programs what to do: 0 if all is done and proven, 2 for a wrong
// call, 3 for a damaged file, 4 for what is unavailable, and 1 for all else. docs/json.md has the table.
int ReportedExitStatus(const absl::Status& status);

// {"code": "NOT_FOUND", "message": "..."}.
nlohmann::ordered_json ErrorReport(const absl::Status& status);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_REPORT_H_
