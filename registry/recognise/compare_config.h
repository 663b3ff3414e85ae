#ifndef MODELPORT_REGISTRY_RECOGNISE_COMPARE_CONFIG_H_
#define MODELPORT_REGISTRY_RECOGNISE_COMPARE_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/config_rule.h"
#include "common/keymap/key_map.h"
#include "registry/registry.h"

namespace modelport {

// A field of a config.json that contradicts a model.
struct ConfigDifference {
  const ConfigRule* rule;  // Of the layout.
  std::string wanted;      // The model's value.
  std::string has;         // What the file says, or means where it lacks the field.
  bool is_absent = false;
};

// What a config.json beside a checkpoint says of a model.
struct ConfigComparison {
  std::string path;  // Of the config.json; empty if there is none, or if the layout does not read it.
  std::vector<ConfigDifference> differences;  // In the order of the layout's rules.
  std::vector<std::string> unknown;           // Fields that the layout neither compares nor leaves unread.
};

// Compares the config.json in the folder of `checkpoint` with `entry`, or with the child `child` of its root if that is
// what the checkpoint fills, by the rules of `layout`. The result refers to these rules.
//   DataLoss         config.json cannot be read
//   InvalidArgument  a rule fails
absl::StatusOr<ConfigComparison> CompareConfig(const Checkpoint& checkpoint, const CatalogEntry& entry,
                                               absl::string_view child, const Layout& layout);

// What to do where no model of the catalog agrees: lines that each begin with a newline; "" if nothing differs. Where
// only arguments of the root differ, they are a plugin for the model that config.json describes.
std::string ConfigCure(const ConfigComparison& comparison, const CatalogEntry& entry);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_COMPARE_CONFIG_H_
