// JSON of signatures. Anybody may have written it.
#ifndef MODELPORT_ARTIFACT_SIGNATURE_STRICT_JSON_H_
#define MODELPORT_ARTIFACT_SIGNATURE_STRICT_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// Parses the whole of `text`.
//   DataLoss  not JSON in UTF-8, more than 64 KiB, or an object that has two fields of one name, of which parsers
//   choose
//             different ones
absl::StatusOr<nlohmann::json> ParseStrictJson(absl::string_view text);

// The text at `place`, such as "/signatures/0/sig". InvalidArgument if there is none, or another value.
absl::StatusOr<std::string> TextAt(const nlohmann::json& json, const char* place);

// InvalidArgument unless the text at `place` is `wanted`.
absl::Status CheckTextAt(const nlohmann::json& json, const char* place, absl::string_view wanted);

// The list at `place`, which lies in `json`. InvalidArgument if there is none, or another value.
absl::StatusOr<const nlohmann::json*> ListAt(const nlohmann::json& json, const char* place);

// InvalidArgument unless there is a list of one item at `place`.
absl::Status CheckOneAt(const nlohmann::json& json, const char* place);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_SIGNATURE_STRICT_JSON_H_
