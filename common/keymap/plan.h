#ifndef MODELPORT_COMMON_KEYMAP_PLAN_H_
#define MODELPORT_COMMON_KEYMAP_PLAN_H_

#include <string>
#include <utility>
#include <vector>

#include "common/keymap/left_out.h"
#include "common/source/slot_source.h"

namespace modelport {

// How a checkpoint fills the slots of one module tree. A plan is made from headers alone, and only if everything fits.
struct Plan {
  std::string layout;
  std::string state_dict;                                    // Path of the dictionary that is taken, "" for the root.
  std::vector<LeftOut> left_out;                             // What else the checkpoint holds.
  std::vector<SlotSource> sources;                           // One for each of ModuleTree::slots.
  std::vector<std::pair<std::string, std::string>> unused;   // Keys that no slot needs, and why.
  std::vector<std::pair<std::string, std::string>> aliases;  // Slots that share a tensor, and the key it is stored as.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_PLAN_H_
