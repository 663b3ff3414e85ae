// A stand-in for Nuke: it evaluates the nodes of a gizmo on a small plate and runs the artifact where the Inference
// node would run its .cat. It knows of each node what Foundry's reference guide says, and of Inference that it gives
// the model the format of its input.
#ifndef MODELPORT_TESTS_NUKE_GIZMO_H_
#define MODELPORT_TESTS_NUKE_GIZMO_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/nuke/nuke_script.h"
#include "tests/nuke/plate.h"

namespace modelport {

// The picture of each frame.
using Clip = std::function<Plate(double frame)>;

// A gizmo with its artifacts. A script that Nuke would not read as it stands is a failure of the test.
class Gizmo {
 public:
  // `modules`: by the names of their .cat.
  Gizmo(const std::string& script, std::map<std::string, torch::jit::Module> modules,
        std::vector<std::string> channels_in, std::vector<std::string> channels_out);

  // Sets a knob, by a number or several with blanks between, an expression in braces or the name of a choice.
  void Set(const std::string& knob, const std::string& value);

  // Connects an input beside the first, by its name in the node graph.
  void Connect(const std::string& input, Clip clip);

  // What the gizmo makes of the plate at a frame.
  Plate Run(const Clip& plate, double frame);

 private:
  at::Tensor KnobValue(const std::string& name, size_t index, double frame);
  double NodeKnob(const std::string& name, const std::string& knob, size_t index, double frame);
  at::Tensor Value(const std::string& node, const std::string& expression, double frame);
  bool IsConnected(const std::string& number) const;
  Plate Evaluate(const std::string& name, double frame);
  Plate Infer(Plate plate, const NukeNode& node, double frame);
  Plate Compute(const Plate& plate, const Plate* other, const NukeNode& node, double frame);
  torch::jit::Module& ModuleOf(const NukeNode& node);

  std::map<std::string, torch::jit::Module> modules_;
  std::vector<std::string> channels_in_, channels_out_;
  NukeScript script_;
  std::map<std::string, std::string> knobs_;
  std::map<std::string, Clip> clips_;  // By the names of Input nodes.
};

}  // namespace modelport

#endif  // MODELPORT_TESTS_NUKE_GIZMO_H_
