#include "artifact/signature/signature.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/digest/sha256.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr char kStatementType[] = "https://in-toto.io/Statement/v1";
constexpr char kPredicateType[] = "https://model_signing/signature/v1.0";

// The digest of all files: that of their digests in a row.
std::string RootDigest(const std::vector<SignedFile>& files) {
  Sha256 root;
  for (const SignedFile& file : files) root.Update(absl::HexStringToBytes(file.sha256));
  return root.HexDigest();
}

bool IsSha256(absl::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(),
                                          [](char c) { return absl::ascii_isxdigit(c) && !absl::ascii_isupper(c); });
}

absl::StatusOr<SignedFile> ParseFile(const nlohmann::json& resource) {
  SignedFile file;
  ASSIGN_OR_RETURN(file.name, TextAt(resource, "/name"));
  RETURN_IF_ERROR(CheckTextAt(resource, "/algorithm", "sha256"));
  ASSIGN_OR_RETURN(file.sha256, TextAt(resource, "/digest"));
  if (!IsSha256(file.sha256)) return absl::InvalidArgumentError("digest: wants 64 lower-case hex digits");
  return file;
}

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

std::string WriteStatement(absl::string_view model, const std::vector<SignedFile>& files) {
  using Json = nlohmann::ordered_json;
  Json resources = Json::array();
  for (const SignedFile& file : files) {
    resources.push_back({{"digest", file.sha256}, {"algorithm", "sha256"}, {"name", file.name}});
  }
  const Json json = {
      {"_type", kStatementType},
      {"subject", Json::array({{{"name", std::string(model)}, {"digest", {{"sha256", RootDigest(files)}}}}})},
      {"predicateType", kPredicateType},
      {"predicate",
       {{"serialization", {{"method", "files"}, {"hash_type", "sha256"}, {"allow_symlinks", false}}},
        {"resources", std::move(resources)}}}};
  return json.dump(2);
}

absl::StatusOr<std::vector<SignedFile>> ParseStatement(absl::string_view json) {
  ASSIGN_OR_RETURN(const nlohmann::json read, ParseStrictJson(json));
  RETURN_IF_ERROR(CheckTextAt(read, "/_type", kStatementType));
  RETURN_IF_ERROR(CheckTextAt(read, "/predicateType", kPredicateType));
  RETURN_IF_ERROR(CheckTextAt(read, "/predicate/serialization/method", "files"));
  RETURN_IF_ERROR(CheckTextAt(read, "/predicate/serialization/hash_type", "sha256"));
  RETURN_IF_ERROR(CheckOneAt(read, "/subject"));
  ASSIGN_OR_RETURN(const std::string root, TextAt(read, "/subject/0/digest/sha256"));
  ASSIGN_OR_RETURN(const nlohmann::json* const resources, ListAt(read, "/predicate/resources"));
  std::vector<SignedFile> files;
  for (const nlohmann::json& resource : *resources) {
    absl::StatusOr<SignedFile> file = ParseFile(resource);
    if (!file.ok()) return Annotate(file.status(), absl::StrCat("predicate/resources/", files.size()));
    files.push_back(*std::move(file));
  }
  if (RootDigest(files) == root) return files;
  return absl::DataLossError("subject/0/digest/sha256: is not the digest of predicate/resources");
}

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

absl::StatusOr<std::string> SignFiles(absl::string_view model, const std::vector<SignedFile>& files,
                                      const PrivateKey& key) {
  for (const SignedFile& file : files) {
    if (Printable(file.name) == file.name) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(Printable(file.name),
                     ": a signature cannot hold this name\n  rename it: wants UTF-8 without "
                     "control characters"));
  }
  Bundle bundle;
  bundle.key_id = key.id();
  bundle.payload = WriteStatement(Printable(model), files);
  ASSIGN_OR_RETURN(bundle.signature, key.Sign(SignedBytes(bundle.payload)));
  return WriteBundle(bundle);
}

absl::StatusOr<std::vector<SignedFile>> OpenSignature(absl::string_view bundle, const PublicKey& key) {
  ASSIGN_OR_RETURN(const Bundle read, ParseBundle(bundle));
  if (read.key_id != key.id()) {
    return absl::FailedPreconditionError(
        absl::StrCat("is by another key: wants sha256:", key.id(), ", has sha256:", Brief(read.key_id)));
  }
  if (!key.Accepts(SignedBytes(read.payload), read.signature)) {
    return absl::DataLossError(absl::StrCat("was altered: the key sha256:", key.id(), " did not sign what it says"));
  }
  return ParseStatement(read.payload);
}

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
