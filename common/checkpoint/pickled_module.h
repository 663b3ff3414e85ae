#ifndef MODELPORT_COMMON_CHECKPOINT_PICKLED_MODULE_H_
#define MODELPORT_COMMON_CHECKPOINT_PICKLED_MODULE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/pickle/value.h"

namespace modelport {

// What a torch.nn.Module holds that was pickled whole. Its class is not looked up: any object with these three
// dictionaries in its state is one.
struct PickledModule {
  std::string type;                 // "nets.Net"
  const pickle::Value* parameters;  // Dictionaries by name, with those of buffers and modules. A value may be None.
  const pickle::Value* buffers;
  const pickle::Value* modules;
  absl::flat_hash_set<absl::string_view> computed;  // Buffers that are in no state dict.
  std::vector<const pickle::Value*> others;         // Its other attributes.
  // Of a module of TorchScript, all attributes in one dictionary, whose tensors are its parameters and buffers; null
  // for any other, and then the fields above are what it has.
  const pickle::Value* attributes = nullptr;
};

// `value` as a module; nullopt if it is none.
absl::optional<PickledModule> AsModule(const pickle::Value& value);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_PICKLED_MODULE_H_
