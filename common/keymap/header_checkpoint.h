#ifndef MODELPORT_COMMON_KEYMAP_HEADER_CHECKPOINT_H_
#define MODELPORT_COMMON_KEYMAP_HEADER_CHECKPOINT_H_

#include <string>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"

namespace modelport {

// A checkpoint at `path` that has the headers of `keys` and no bytes: enough to make a plan, for tests.
Checkpoint MakeHeaderCheckpoint(const std::string& path, const std::vector<SeededKey>& keys);

// The same with whole state dicts, and with what is beside them.
Checkpoint MakeHeaderCheckpoint(const std::string& path, std::vector<StateDict> dicts,
                                std::vector<LooseTensors> loose = {});

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_HEADER_CHECKPOINT_H_
