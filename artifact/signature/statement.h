#ifndef MODELPORT_ARTIFACT_SIGNATURE_STATEMENT_H_
#define MODELPORT_ARTIFACT_SIGNATURE_STATEMENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

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

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_SIGNATURE_STATEMENT_H_
