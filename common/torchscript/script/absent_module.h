#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_ABSENT_MODULE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_ABSENT_MODULE_H_

#include <torch/csrc/jit/frontend/sugared_value.h>

#include <memory>
#include <string>
#include <utility>

namespace modelport {

// A Python module that a plugin's text cannot use, such as torch.nn. Taking an attribute of it throws an ErrorReport
// that says what to write instead:
//   F is not available; call torch.relu
//   torch.nn is not available; write ReLU() under `children`, or call torch.relu
class AbsentModule : public torch::jit::SugaredValue {
 public:
  // The module that upstream code calls `name`, "F" or "nn", within `parent`, "" or "torch"; null if there is none.
  static std::shared_ptr<AbsentModule> Find(const std::string& parent, const std::string& name);

  std::string kind() const override { return path_ + ", which is not available"; }
  std::shared_ptr<torch::jit::SugaredValue> attr(const torch::jit::SourceRange& range,
                                                 torch::jit::GraphFunction& function, const std::string& name) override;

 private:
  AbsentModule(std::string path, std::string prefix) : path_(std::move(path)), prefix_(std::move(prefix)) {}

  // The operators that do what the module's function or class `name` does, for a message; empty if there are none.
  std::string Operators(const std::string& name) const;

  std::string path_;    // "torch.nn"
  std::string prefix_;  // Of the names of its functions as operators: torch.linalg.norm is aten::linalg_norm.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_ABSENT_MODULE_H_
