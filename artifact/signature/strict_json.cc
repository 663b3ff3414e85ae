#include "artifact/signature/strict_json.h"

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

using Json = nlohmann::json;

// In bytes. A signature of two files has less than 3 KiB.
constexpr size_t kMaxSize = size_t{1} << 16;

// The value at `place`; null if there is none.
const Json* Find(const Json& json, const char* place) {
  const Json::json_pointer pointer(place);
  return json.contains(pointer) ? &json[pointer] : nullptr;
}

absl::Status Wrong(const char* place, absl::string_view wanted, absl::string_view has) {
  return absl::InvalidArgumentError(absl::StrCat(place + 1, ": wants ", wanted, ", has ", has));
}

}  // namespace

absl::StatusOr<Json> ParseStrictJson(absl::string_view text) {
  if (text.size() > kMaxSize) {
    return absl::DataLossError(absl::StrCat("has ", text.size(), " bytes, wants at most ", kMaxSize));
  }
  std::vector<std::set<std::string>> names;  // The fields so far of each object that the parser is in.
  std::string twice;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second) {
      twice = parsed.get<std::string>();
    }
    return true;
  };
  // The parser would stop at a NUL as if the text ended there.
  const bool has_nul = text.find('\0') != text.npos;
  Json json = Json::parse(text.begin(), text.end(), watch, /*allow_exceptions=*/false);
  if (has_nul || json.is_discarded()) return absl::DataLossError("is truncated, or not JSON in UTF-8");
  if (!twice.empty()) return absl::DataLossError(absl::StrCat("the field ", Brief(twice), " occurs twice"));
  return json;
}

absl::StatusOr<std::string> TextAt(const Json& json, const char* place) {
  const Json* const value = Find(json, place);
  if (value == nullptr) return Wrong(place, "a text", "nothing");
  if (!value->is_string()) return Wrong(place, "a text", value->type_name());
  return value->get<std::string>();
}

absl::Status CheckTextAt(const Json& json, const char* place, absl::string_view wanted) {
  ASSIGN_OR_RETURN(const std::string text, TextAt(json, place));
  return text == wanted ? absl::OkStatus() : Wrong(place, wanted, Brief(text));
}

absl::StatusOr<const Json*> ListAt(const Json& json, const char* place) {
  const Json* const value = Find(json, place);
  if (value == nullptr) return Wrong(place, "a list", "nothing");
  if (!value->is_array()) return Wrong(place, "a list", value->type_name());
  return value;
}

absl::Status CheckOneAt(const Json& json, const char* place) {
  ASSIGN_OR_RETURN(const Json* const list, ListAt(json, place));
  return list->size() == 1 ? absl::OkStatus() : Wrong(place, "one item", absl::StrCat(list->size()));
}

}  // namespace modelport
