#ifndef MODELPORT_COMMON_MANIFEST_COMPARE_MANIFESTS_H_
#define MODELPORT_COMMON_MANIFEST_COMPARE_MANIFESTS_H_

#include <google/protobuf/message.h>

#include <string>
#include <vector>

namespace modelport {

// The fields in which `stated`, a manifest or a part of one, differs from `expected`, with both values: `dtype:
// "float16" -> "float32"`, `missing: knobs[2]: { ... }`, `unexpected: ...`. Fields in `ignored`, which holds full names
// such as "modelport.Manifest.round_trip", are not compared.
std::vector<std::string> DifferingFields(const google::protobuf::Message& stated,
                                         const google::protobuf::Message& expected,
                                         const std::vector<std::string>& ignored);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_COMPARE_MANIFESTS_H_
