// What a config.json beside a checkpoint must say of a model. docs/plugins.md describes the YAML.
#ifndef MODELPORT_COMMON_KEYMAP_CONFIG_RULE_H_
#define MODELPORT_COMMON_KEYMAP_CONFIG_RULE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_tree.h"
#include "common/yaml/document.h"
#include "common/yaml/map_reader.h"
#include "common/yaml/problems.h"

namespace modelport {

// What a field of a config.json must say. Values are texts as ModelConfig::Find returns them: "metric", "20",
// "[3, 6, 9, 12]".
struct ConfigRule {
  std::string field;  // Its dotted path, "backbone_config.out_indices".
  std::string value;  // Of every model; unused if there is an expression.
  // The value, in terms of the arguments of a module.
  absl::optional<Expression> is = absl::nullopt;
  std::string of = {};                              // The path of this module; "" is the root.
  absl::optional<Expression> when = absl::nullopt;  // The rule is for models where this is neither 0 nor false.
  std::map<std::string, std::string> names = {};    // What the file calls a value: ReLU -> relative. Empty: the same.
  std::string form = {};                            // How the file writes a value or item: "stage{}". Empty: as it is.
  absl::optional<std::string> absent = absl::nullopt;  // What a file means that lacks the field; nullopt: nothing.
  std::string otherwise = {};                          // What to know or do where a file differs; may be empty.
  YamlMark mark = {};
};

// Takes the field `config` of a map; empty if it is absent.
std::vector<ConfigRule> TakeConfigRules(YamlMapReader* reader, YamlProblems* problems);

// The rule for `field`; null if there is none.
const ConfigRule* FindConfigRule(const std::vector<ConfigRule>& rules, absl::string_view field);

// What `rule` wants for the model of which `tree` is the whole tree. Its paths are below `at`, the root for "". nullopt
// if the rule is not for this model: its `when` is false, or the model lacks the module or an argument.
//   InvalidArgument  an expression fails, or `names` has no name for its value
absl::StatusOr<absl::optional<std::string>> WantedConfig(const ConfigRule& rule, const ModuleTree& tree,
                                                         absl::string_view at);

// Whether every config.json of Hugging Face's transformers may have the field, or one above it, whatever the model is.
// None of them changes what a model computes from an image: "torch_dtype", "backbone_config.id2label.0".
bool IsGeneralConfigField(absl::string_view field);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_CONFIG_RULE_H_
