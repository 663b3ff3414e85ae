#ifndef MODELPORT_COMMON_KEYMAP_HEADER_CHECKPOINT_H_
#define MODELPORT_COMMON_KEYMAP_HEADER_CHECKPOINT_H_

#include <string>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"

namespace modelport {

// A checkpoint, named `path`, of keys without any bytes: enough to make a plan.
Checkpoint MakeHeaderCheckpoint(const std::string& path, const std::vector<SeededKey>& keys);

// The same from whole state dicts.
Checkpoint MakeHeaderCheckpoint(const std::string& path, std::vector<StateDict> dicts);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_HEADER_CHECKPOINT_H_
