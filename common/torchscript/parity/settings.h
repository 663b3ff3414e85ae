#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_SETTINGS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_SETTINGS_H_

#include <ATen/core/ivalue.h>

#include <map>
#include <string>
#include <vector>

#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// What modules hold beside tensors, by path and name: {"blocks.0.norm1": {"eps": 1e-6}}. Booleans, numbers, texts, None
// and lists of these.
using Settings = std::map<std::string, std::map<std::string, c10::IValue>>;

// The constants and attributes of `module` and its submodules.
Settings FindSettings(const torch::jit::Module& module);

// A setting that differs.
struct SettingDifference {
  std::string path;
  std::string name;
  std::string expected;  // As text: "1e-06".
  std::string actual;
};

struct SettingsComparison {
  int equal = 0;
  std::vector<SettingDifference> differences;
};

// Compares the settings that both sides have. Numbers are compared by their values, tuples as lists; a number equals a
// list in which there is nothing else.
SettingsComparison CompareSettings(const Settings& expected, const Settings& actual);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_SETTINGS_H_
