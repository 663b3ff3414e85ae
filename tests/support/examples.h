#ifndef MODELPORT_TESTS_SUPPORT_EXAMPLES_H_
#define MODELPORT_TESTS_SUPPORT_EXAMPLES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

// The model that tests/support/examples.txt has for this need, "depth". Ends the program if it has none.
std::string ExampleModel(absl::string_view need);

// That of "depth", with which most tests do.
inline std::string DepthModel() { return ExampleModel("depth"); }

// The family whose module types that model has.
std::string ExampleFamily(absl::string_view need);

// The folder with that model's goldens, for a test that has them in its data.
std::string ExampleGoldens(absl::string_view need);

// The root of that model with its arguments, for a plugin that extends the family; empty if the table states none.
std::string ExampleModule(absl::string_view need);

// The flag --plugin_path for the test plugins of the models that `needs` name. A run takes less time than with those of
// all families, since it reads and links these alone. The test has their families in its data.
std::string ExamplePlugins(const std::vector<std::string>& needs);

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_EXAMPLES_H_
