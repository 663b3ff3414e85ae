#ifndef MODELPORT_COMMON_CHECKPOINT_MODEL_CONFIG_H_
#define MODELPORT_COMMON_CHECKPOINT_MODEL_CONFIG_H_

#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {

// What the config.json beside a checkpoint says of its model.
class ModelConfig {
 public:
  // Reads the config.json in the folder of the checkpoint; nullopt if there is none. It is data of the same origin as
  // the checkpoint, so it is not trusted.
  //   DataLoss  begins with its path: not a regular file, more than 1 MiB, or not an object of JSON
  static absl::StatusOr<absl::optional<ModelConfig>> ReadBeside(const std::string& checkpoint_path);

  // The same for the text of a config.json at `path`.
  static absl::StatusOr<ModelConfig> Parse(const std::string& path, absl::string_view text);

  const std::string& path() const { return path_; }

  // All fields whose values Find returns, by their dotted paths.
  const std::map<std::string, std::string, std::less<>>& fields() const { return fields_; }

  // The value of a field by its dotted path, "backbone_config.out_indices", as ConfigText writes it; nullopt if it is
  // absent, null, an object, or a list of anything else than texts, numbers and booleans, or if the path has more than
  // 200 bytes.
  absl::optional<std::string> Find(absl::string_view field) const;

 private:
  ModelConfig(std::string path, std::map<std::string, std::string, std::less<>> fields)
      : path_(std::move(path)), fields_(std::move(fields)) {}

  std::string path_;
  std::map<std::string, std::string, std::less<>> fields_;
};

// The one text for all ways to write a value: "20" for 20.0 and 2e1. Other texts stay.
std::string ConfigText(absl::string_view value);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_MODEL_CONFIG_H_
