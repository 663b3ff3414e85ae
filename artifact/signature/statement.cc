#include "artifact/signature/statement.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "artifact/signature/strict_json.h"
#include "common/digest/sha256.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

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

}  // namespace modelport
