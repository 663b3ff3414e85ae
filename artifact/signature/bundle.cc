#include "artifact/signature/bundle.h"

#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "artifact/signature/strict_json.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

constexpr char kMediaType[] = "application/vnd.dev.sigstore.bundle.v0.3+json";
constexpr char kPayloadType[] = "application/vnd.in-toto+json";

// The bytes that the text at `place` encodes in base64.
absl::StatusOr<std::string> BytesAt(const nlohmann::json& json, const char* place) {
  ASSIGN_OR_RETURN(const std::string text, TextAt(json, place));
  std::string bytes;
  // The decoder also takes spaces and other ends.
  if (absl::Base64Unescape(text, &bytes) && absl::Base64Escape(bytes) == text) return bytes;
  return absl::InvalidArgumentError(absl::StrCat(place + 1, ": is not base64"));
}

}  // namespace

std::string WriteBundle(const Bundle& bundle) {
  const nlohmann::ordered_json json = {
      {"mediaType", kMediaType},
      {"verificationMaterial",
       {{"publicKey", {{"hint", bundle.key_id}}}, {"tlogEntries", nlohmann::ordered_json::array()}}},
      {"dsseEnvelope",
       {{"payload", absl::Base64Escape(bundle.payload)},
        {"payloadType", kPayloadType},
        {"signatures",
         nlohmann::ordered_json::array({{{"sig", absl::Base64Escape(bundle.signature)}, {"keyid", ""}}})}}}};
  return json.dump();
}

absl::StatusOr<Bundle> ParseBundle(absl::string_view json) {
  ASSIGN_OR_RETURN(const nlohmann::json read, ParseStrictJson(json));
  RETURN_IF_ERROR(CheckTextAt(read, "/mediaType", kMediaType));
  RETURN_IF_ERROR(CheckTextAt(read, "/dsseEnvelope/payloadType", kPayloadType));
  RETURN_IF_ERROR(CheckOneAt(read, "/dsseEnvelope/signatures"));
  Bundle bundle;
  ASSIGN_OR_RETURN(bundle.key_id, TextAt(read, "/verificationMaterial/publicKey/hint"));
  ASSIGN_OR_RETURN(bundle.payload, BytesAt(read, "/dsseEnvelope/payload"));
  ASSIGN_OR_RETURN(bundle.signature, BytesAt(read, "/dsseEnvelope/signatures/0/sig"));
  return bundle;
}

std::string SignedBytes(absl::string_view payload) {
  const absl::string_view type = kPayloadType;
  return absl::StrCat("DSSEv1 ", type.size(), " ", type, " ", payload.size(), " ", payload);
}

}  // namespace modelport
