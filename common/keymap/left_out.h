#ifndef MODELPORT_COMMON_KEYMAP_LEFT_OUT_H_
#define MODELPORT_COMMON_KEYMAP_LEFT_OUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/checkpoint/checkpoint.h"

namespace modelport {

// A part of a checkpoint that holds tensors and is not in the state dict that is taken.
struct LeftOut {
  // Of the outermost dictionary, list or object that the state dict is not in; "" for the root. Where a part of a
  // dictionary is taken, the beginning of the dictionary's other keys, up to where they differ.
  std::string path;
  int64_t tensors = 0;   // In that part, at any depth.
  int64_t elements = 0;  // Of those tensors.
};

// Every part of `checkpoint` that holds tensors beside `taken`, one of its state dicts or a part of one, in the order
// of the file. A tensor with the same elements of the file as one of `taken`'s is not left out.
std::vector<LeftOut> FindLeftOut(const Checkpoint& checkpoint, const StateDict& taken);

// "student (174 tensors), optimizer (350 tensors)": the first five, and how many more there are.
std::string DescribeLeftOut(const std::vector<LeftOut>& left_out);

// "the file's root" or "dictionary teacher".
std::string DictName(absl::string_view path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_LEFT_OUT_H_
