#ifndef MODELPORT_TESTS_TEST_MODELS_H_
#define MODELPORT_TESTS_TEST_MODELS_H_

#include <string>
#include <vector>

namespace modelport {

// The variants that exist for tests only, in the plugins of //models:plugins: small ones of every kind of model.
std::vector<std::string> TestModels();

}  // namespace modelport

#endif  // MODELPORT_TESTS_TEST_MODELS_H_
