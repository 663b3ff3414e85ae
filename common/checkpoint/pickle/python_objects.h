// Recognises Python's own types in the values of a pickle.
#ifndef MODELPORT_COMMON_CHECKPOINT_PICKLE_PYTHON_OBJECTS_H_
#define MODELPORT_COMMON_CHECKPOINT_PICKLE_PYTHON_OBJECTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/pickle/value.h"

namespace modelport::pickle {

// True if `value` is the global `module`.`name`.
bool IsGlobal(const Value& value, absl::string_view module, absl::string_view name);

// The positional argument `index` of a call; null if there are fewer.
const Value* Argument(const Object& object, size_t index);

// True for a dict, an OrderedDict and a defaultdict.
bool IsDict(const Value& value);

// Calls `visit` with each key and value of such a dictionary, in order, repeated keys included. For any other value it
// is not called. Stops at the first error of `visit`; DataLoss if a dictionary is made from items that are not pairs.
absl::Status ForEachEntry(const Value& value,
                          absl::FunctionRef<absl::Status(const Value& key, const Value& value)> visit);

// The items of a tuple or list; null for any other value.
const std::vector<const Value*>* SequenceItems(const Value& value);

// The numbers of a tuple or list of ints, or of a torch.Size made of one; nullopt for any other value and for more than
// `max_size` of them.
absl::optional<std::vector<int64_t>> Ints(const Value& value, size_t max_size);

// True if no further value can be reached from `value`: it is a constant, a global or an empty container.
bool IsBare(const Value& value);

// The kind of `value` for a message: "a list", "a dict", "an object of class argparse.Namespace".
std::string Describe(const Value& value);

}  // namespace modelport::pickle

#endif  // MODELPORT_COMMON_CHECKPOINT_PICKLE_PYTHON_OBJECTS_H_
