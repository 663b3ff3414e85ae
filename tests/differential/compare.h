#ifndef MODELPORT_TESTS_DIFFERENTIAL_COMPARE_H_
#define MODELPORT_TESTS_DIFFERENTIAL_COMPARE_H_

#include <string>

#include "nlohmann/json.hpp"

namespace modelport {

// Opens the checkpoint `path` as tools do, reads all its tensors and compares with `expected`, the file's value in the
// expected.json of generate.py:
//   {"reads": {"dicts": [{"paths": [TEXT], "tensors": [[KEY, DTYPE, SHAPE, STRIDES, OFFSET, STORAGE, SHA256]]}],
//              "loose": COUNT, "metadata": {NAME: TEXT}}, "or_refused": true}
//   {"refused": [CODE, TEXT]}
// With "or_refused" any error is right, too. CODE is that of the error and TEXT a part of its message; an empty one
// stands for any. SHA256 has the first 16 digits of the digest of the row-major bytes. STORAGE numbers the storages in
// the order in which the tensors use them; -1 for a tensor without elements. Returns the differences, a line each;
// empty if there are none.
std::string CompareWithReference(const std::string& path, const nlohmann::ordered_json& expected);

}  // namespace modelport

#endif  // MODELPORT_TESTS_DIFFERENTIAL_COMPARE_H_
