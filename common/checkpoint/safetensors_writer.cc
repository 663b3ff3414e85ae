#include "common/checkpoint/safetensors_writer.h"

#include <cstdint>

#include "common/checkpoint/safetensors_dtype.h"
#include "common/io/byte_reader.h"
#include "nlohmann/json.hpp"

namespace modelport {

bool ComesBefore(const SafetensorsTensor& a, const SafetensorsTensor& b) {
  const int a_rank = SafetensorsRank(a.dtype), b_rank = SafetensorsRank(b.dtype);
  return a_rank != b_rank ? a_rank > b_rank : a.key < b.key;
}

std::string SafetensorsHeader(const std::vector<SafetensorsTensor>& tensors,
                              const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  // Entries are appended in time that does not depend on their number; operator[] would search for the key.
  auto& entries = header.get_ref<nlohmann::ordered_json::object_t&>();
  int64_t offset = 0;
  for (const SafetensorsTensor& tensor : tensors) {
    const int64_t end = offset + *ElementCount(tensor.shape) * ByteSize(tensor.dtype);
    entries.push_back({tensor.key,
                       {{"dtype", std::string(SafetensorsDTypeName(tensor.dtype))},
                        {"shape", tensor.shape},
                        {"data_offsets", {offset, end}}}});
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return LittleEndian<uint64_t>(text.size()) + text;
}

}  // namespace modelport
