#ifndef MODELPORT_ARTIFACT_SIGNATURE_SIGNATURE_H_
#define MODELPORT_ARTIFACT_SIGNATURE_SIGNATURE_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "artifact/signature/p256_key.h"

namespace modelport {

// A file that a signature is of.
struct SignedFile {
  std::string name;    // Without a folder: "m.pt".
  std::string sha256;  // 64 lower-case hex digits.

  friend bool operator==(const SignedFile&, const SignedFile&) = default;
};

// What is signed: an in-toto statement that lists `files`, with the predicate of model_signing 1.x. `model` and the
// names must be UTF-8; no reader compares `model` with anything.
std::string WriteStatement(absl::string_view model, const std::vector<SignedFile>& files);

// The files of a statement. Fields that the predicate's definition leaves open are ignored.
//   DataLoss         not JSON as ParseStrictJson wants it, or a digest that contradicts the others
//   InvalidArgument  another statement; or its digests are not SHA-256 of whole files
absl::StatusOr<std::vector<SignedFile>> ParseStatement(absl::string_view json);

// What the file of a signature by a key holds. The format is Sigstore's bundle, version 0.3, around a DSSE envelope, as
// model_signing 1.x writes it (github.com/sigstore/model-transparency, docs/model_signing_format.md).
struct Bundle {
  std::string key_id;     // PublicKey::id() of who signed, as the file says.
  std::string payload;    // What is signed: an in-toto statement (WriteStatement).
  std::string signature;  // Of SignedBytes(payload), in DER.
};

// The bundle as JSON in one line. `key_id` must be UTF-8.
std::string WriteBundle(const Bundle& bundle);

// Reads a bundle, and checks nothing that it says.
//   DataLoss         truncated, or not JSON as ParseStrictJson wants it
//   InvalidArgument  no bundle of one signature by a key
absl::StatusOr<Bundle> ParseBundle(absl::string_view json);

// The bytes over which the signature is: the payload with its type, as DSSE encodes them (PAE).
std::string SignedBytes(absl::string_view payload);

// The text of a signature file, a Bundle, that says that the owner of `key` signed `files`. Equal files give
// equal bytes. `model` is for people to read.
//   InvalidArgument  a name is not UTF-8 or has control characters
//   Unavailable      as PrivateKey::Sign
absl::StatusOr<std::string> SignFiles(absl::string_view model, const std::vector<SignedFile>& files,
                                      const PrivateKey& key);

// The files that the owner of `key` signed, as `bundle`, the text of a signature file, says.
//   DataLoss            truncated; or altered: it names `key`, which did not sign what it says
//   InvalidArgument     no signature of files by a key
//   FailedPrecondition  signed by another key
absl::StatusOr<std::vector<SignedFile>> OpenSignature(absl::string_view bundle, const PublicKey& key);

// JSON of signatures. Anybody may have written it.

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

#endif  // MODELPORT_ARTIFACT_SIGNATURE_SIGNATURE_H_
