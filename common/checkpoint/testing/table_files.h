// The checkpoints of tests/checkpoints/expected.json, which says what must come of each. A test that asks for them has
// //tests/checkpoints:files in its data.
#ifndef MODELPORT_COMMON_CHECKPOINT_TESTING_TABLE_FILES_H_
#define MODELPORT_COMMON_CHECKPOINT_TESTING_TABLE_FILES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace modelport {

// What the table says of each file, by its name. The table itself explains its fields.
const nlohmann::ordered_json& CheckpointTable();

// The absolute path of the file `name` of the table. A damaged file is made of the good one that the table names, in
// the test's temporary folder.
std::string TableFile(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_TESTING_TABLE_FILES_H_
