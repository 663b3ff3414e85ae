// The values that a pickle describes, as plain data: nothing is imported, constructed or called.
#ifndef MODELPORT_COMMON_CHECKPOINT_PICKLE_VALUE_H_
#define MODELPORT_COMMON_CHECKPOINT_PICKLE_VALUE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport::pickle {

struct Value;

struct None {};

// An int that needs more than 64 bits: little-endian two's complement.
struct LongInt {
  absl::string_view bytes;
};

// A str, or a str of Python 2. Its bytes are not known to be UTF-8.
struct String {
  absl::string_view text;
};

struct Bytes {
  absl::string_view bytes;
};

struct Tuple {
  std::vector<const Value*> items;
};

// A list or a set.
struct List {
  std::vector<const Value*> items;
};

// A key and its value.
using Entry = std::pair<const Value*, const Value*>;

// A dict. A key that occurs twice has its last value, as in Python.
struct Dict {
  std::vector<Entry> entries;
};

// A class or function that the pickle names.
struct Global {
  absl::string_view module;
  absl::string_view name;
};

// The object that a call would return: the callable, its arguments, and the entries and states that the pickle then
// gives to the object. The call is not made.
struct Object {
  const Value* callable;
  const Value* args;           // A Tuple.
  std::vector<Entry> entries;  // Set on it.
  Value* given = nullptr;      // A List of its keyword arguments, appended items and states; null if there are none.
};

// A reference to something stored outside the pickle.
struct PersistentId {
  const Value* id;
};

// Values refer to one another, possibly in cycles. The Pickle that they come from owns them.
struct Value {
  using Data = std::variant<None, bool, int64_t, LongInt, double, String, Bytes, Tuple, List, Dict, Global, Object,
                            PersistentId>;
  Data data;

  // The value as a T, or null if it is something else.
  template <typename T>
  const T* As() const {
    return std::get_if<T>(&data);
  }
};

}  // namespace modelport::pickle

#endif  // MODELPORT_COMMON_CHECKPOINT_PICKLE_VALUE_H_
