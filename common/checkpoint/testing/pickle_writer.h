// Pickles by hand. Each function returns the instructions that push one value, and nests:
//
//   Pickled(PickleDict({{PickleString("epoch"), PickleInt(3)}}))
#ifndef MODELPORT_COMMON_CHECKPOINT_TESTING_PICKLE_WRITER_H_
#define MODELPORT_COMMON_CHECKPOINT_TESTING_PICKLE_WRITER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

// A whole pickle of protocol 2 that leaves `value`.
std::string Pickled(absl::string_view value);

std::string PickleString(absl::string_view text);
std::string PickleInt(int32_t number);
std::string PickleGlobal(absl::string_view module, absl::string_view name);
std::string PickleTuple(const std::vector<std::string>& items);
std::string PickleInts(const std::vector<int32_t>& numbers);
std::string PickleList(const std::vector<std::string>& items);
std::string PickleDict(const std::vector<std::pair<std::string, std::string>>& entries);
std::string PickleCall(absl::string_view global, const std::vector<std::string>& args);
std::string PicklePersistentId(absl::string_view id);

// A torch storage of class `type` ("FloatStorage"), by its key.
std::string PickleStorage(absl::string_view type, absl::string_view key, int32_t elements);

// A call of torch._utils._rebuild_tensor_v2.
std::string PickleTensor(absl::string_view storage, int32_t offset, const std::vector<int32_t>& shape,
                         const std::vector<int32_t>& strides);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_TESTING_PICKLE_WRITER_H_
