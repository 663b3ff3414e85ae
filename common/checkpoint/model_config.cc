#include "common/checkpoint/model_config.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/io/mapped_file.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::json;
using Fields = std::map<std::string, std::string, std::less<>>;

constexpr size_t kMaxSize = 1 << 20;
// The bytes of a field's path; fields of longer paths are left out. Otherwise many fields in an object of a long name
// would take far more memory than the file.
constexpr size_t kMaxPath = 200;

// The text of a text, number or boolean; nullopt for any other value.
absl::optional<std::string> ScalarText(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return ConfigText(value.dump());
  return absl::nullopt;
}

absl::optional<std::string> ListText(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list) {
    absl::optional<std::string> text = ScalarText(item);
    if (!text) return absl::nullopt;
    texts.push_back(*std::move(text));
  }
  return absl::StrCat("[", absl::StrJoin(texts, ", "), "]");
}

// Adds the fields of `object` and of the objects in it.
void AddFields(const Json& object, const std::string& prefix, Fields* fields) {
  for (const auto& [name, value] : object.items()) {
    if (prefix.size() + name.size() > kMaxPath) continue;
    if (value.is_object()) {
      AddFields(value, absl::StrCat(prefix, name, "."), fields);
      continue;
    }
    absl::optional<std::string> text = value.is_array() ? ListText(value) : ScalarText(value);
    if (text) fields->emplace(absl::StrCat(prefix, name), *std::move(text));
  }
}

absl::Status Damaged(const std::string& path, absl::string_view what) {
  return absl::DataLossError(absl::StrCat(path, ": ", what, "\n  repair the file or take it away"));
}

}  // namespace

absl::StatusOr<absl::optional<ModelConfig>> ModelConfig::ReadBeside(const std::string& checkpoint_path) {
  const std::string path = (fs::path(checkpoint_path).parent_path() / "config.json").string();
  const absl::StatusOr<std::shared_ptr<const MappedFile>> file = MappedFile::Open(path);
  if (absl::IsNotFound(file.status())) return absl::nullopt;
  if (!file.ok()) return Damaged(path, "is not a regular file that can be read");
  const absl::string_view text = (*file)->bytes();
  if (text.size() > kMaxSize) return Damaged(path, "has more than 1 MiB, which no configuration of a model has");
  return Parse(path, text);
}

absl::StatusOr<ModelConfig> ModelConfig::Parse(const std::string& path, absl::string_view text) {
  // The parser would stop at a NUL as if the text ended there.
  const bool has_nul = text.find('\0') != text.npos;
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (has_nul || !json.is_object()) return Damaged(path, "is not an object of JSON");
  Fields fields;
  AddFields(json, "", &fields);
  return ModelConfig(path, std::move(fields));
}

absl::optional<std::string> ModelConfig::Find(absl::string_view field) const {
  const auto found = fields_.find(field);
  return found == fields_.end() ? absl::nullopt : absl::make_optional(found->second);
}

std::string ConfigText(absl::string_view value) {
  double number = 0;
  if (!absl::SimpleAtod(value, &number) || !std::isfinite(number)) return std::string(value);
  const bool is_whole = number == std::trunc(number) && std::abs(number) < 1e15;
  return is_whole ? absl::StrCat(static_cast<int64_t>(number)) : absl::StrCat(number);
}

}  // namespace modelport
