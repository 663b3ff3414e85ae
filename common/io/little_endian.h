#ifndef MODELPORT_COMMON_IO_LITTLE_ENDIAN_H_
#define MODELPORT_COMMON_IO_LITTLE_ENDIAN_H_

#include <string>
#include <type_traits>
#include <vector>

namespace modelport {

// The bytes of `number`, lowest first.
template <typename T>
std::string LittleEndian(T number) {
  static_assert(std::is_arithmetic_v<T>);
  return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
}

// The bytes of all of `numbers`.
template <typename T>
std::string LittleEndian(const std::vector<T>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_LITTLE_ENDIAN_H_
