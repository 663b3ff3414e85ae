#ifndef MODELPORT_COMMON_KEYMAP_LEFT_OUT_H_
#define MODELPORT_COMMON_KEYMAP_LEFT_OUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/checkpoint/checkpoint.h"

namespace modelport {

// A part of a checkpoint beside the state dict that was taken.
struct LeftOut {
  std::string path;      // Of the outermost dictionary, list or object that the state dict is not in; "" for the root.
  int64_t tensors = 0;   // In it, at any depth.
  int64_t elements = 0;  // Of those.
};

// Everything in `checkpoint` that holds tensors beside `taken`, one of its state dicts, in the order of the file. A
// tensor that is also one of `taken`'s, by its place in the file, is not left out.
std::vector<LeftOut> FindLeftOut(const Checkpoint& checkpoint, const StateDict& taken);

// "student (174 tensors), optimizer (350 tensors)": the first few.
std::string DescribeLeftOut(const std::vector<LeftOut>& left_out);

// "the file's root" or "dictionary teacher".
std::string DictName(absl::string_view path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_LEFT_OUT_H_
