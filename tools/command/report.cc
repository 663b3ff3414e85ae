#include "tools/command/report.h"

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tools/command/tool_call.h"

namespace modelport {
namespace {

using Json = nlohmann::ordered_json;

// Of what the fields mean, of each command; a number more where one goes or means something else.
constexpr int kVersion = 1;

}  // namespace

Report::Report(FlagGroup& group)
    : json_(group, "json", false, absl::StrCat("print one JSON object in the place of tables: ", PagePlace("json.md"))),
      fields_(std::make_unique<Json>(Json::object())) {}

Report::~Report() = default;

std::string Report::Text(absl::string_view command, const absl::Status& status) const {
  Json text = {{"schema", absl::StrCat("modelport.", command, ".", kVersion)}, {"ok", status.ok()}};
  if (!status.ok()) text["error"] = ErrorReport(status);
  text.update(*fields_);
  // Names and messages may hold bytes that are no UTF-8.
  return absl::StrCat(text.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace), "\n");
}

Json ParsedReport(const std::string& json) {
  Json parsed;
  nlohmann::detail::json_sax_dom_parser<Json> handler(parsed, /*allow_exceptions=*/false);
  return Json::sax_parse(json, &handler) ? parsed : Json();
}

int ReportedExitStatus(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 0;
    case absl::StatusCode::kInvalidArgument:
      return 2;
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kAborted:
      return 3;
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnavailable:
      return 4;
    default:
      return 1;
  }
}

Json ErrorReport(const absl::Status& status) {
  return {{"code", absl::StatusCodeToString(status.code())}, {"message", std::string(status.message())}};
}

}  // namespace modelport
