#ifndef MODELPORT_TESTS_SUPPORT_LAYOUT_FILE_H_
#define MODELPORT_TESTS_SUPPORT_LAYOUT_FILE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// The absolute path of the weights of tests/checkpoints/MODEL.safetensors as a library stores them whose layout is
// `layout`, or of that file itself for "original". It is made in the test's temporary folder as
// tests/checkpoints/layouts/made.txt says. The program ends if its bytes are not those that the library wrote.
std::string LayoutFile(absl::string_view layout, absl::string_view model);

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_LAYOUT_FILE_H_
