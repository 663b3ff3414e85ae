#ifndef MODELPORT_COMMON_KEYMAP_PLAN_H_
#define MODELPORT_COMMON_KEYMAP_PLAN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/keymap/left_out.h"
#include "common/operation/slot_source.h"

namespace modelport {

// Keys that the file has under a name that upstream used before.
struct RenamedKeys {
  std::string from;  // Patterns: "layer1.{rest*}".
  std::string to;
  std::string reason;
  int64_t tensors = 0;
};

// A slot whose numbers an operation computes, so that they are not those of the file.
struct ChangedSlot {
  std::string slot;
  std::string operation;  // "resample_bicubic(1, 1, 37, 37)".
  std::string reason;     // Why the rule is one-way.
};

// How a checkpoint fills the slots of one module tree. A plan is made from headers alone, and only if everything fits.
struct Plan {
  std::string layout;
  std::string note;        // Of the layout.
  std::string state_dict;  // Path of the dictionary that is taken, "" for the root.
  std::string module;  // The class of the whole module of which the weights are, "nets.Net"; empty: of a dictionary.
  std::string prefix;  // Where a part of a dictionary was found by its keys: what these begin with, "model.".
  size_t others = 0;   // Keys of that dictionary that begin otherwise.
  std::vector<LeftOut> left_out;                            // What else the checkpoint holds.
  std::vector<SlotSource> sources;                          // One for each of ModuleTree::slots.
  std::vector<std::pair<std::string, std::string>> unused;  // Keys that no slot needs, and why.
  std::vector<ChangedSlot> changed;
  bool is_resampled = false;                                 // Whether SourceChoice::resample made some of these.
  std::vector<RenamedKeys> old_names;                        // In the order in which they were applied.
  std::vector<std::pair<std::string, std::string>> aliases;  // Slots that share a tensor, and the key it is stored as.
  std::vector<std::string> unknown_config;                   // Fields of a config.json that the layout does not know.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_PLAN_H_
