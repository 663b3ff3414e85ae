// A plugin of one small model, for tests of what a plugin's text does.
#ifndef MODELPORT_TESTS_SUPPORT_TOY_PLUGIN_H_
#define MODELPORT_TESTS_SUPPORT_TOY_PLUGIN_H_

#include <string>
#include <vector>

namespace modelport {

// Writes the plugin of the model "toy", whose forward(x[1, 2]) is x * a + b, into the new folder `folder`. `layouts`
// are the lines below `layouts:` of its keymap.yaml, and `parameters` what the model has. Returns the flag that adds
// it.
std::string WriteToyPlugin(const std::string& folder, const std::string& layouts = "  original: {recognise: [a]}\n",
                           const std::string& parameters = "a: [2], b: [2]");

// The bytes of a safetensors file of float32 vectors of 2 elements, which differ. Those of the first are "number00".
std::string ToyFile(const std::vector<std::string>& keys);

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_TOY_PLUGIN_H_
