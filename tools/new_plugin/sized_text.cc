#include "tools/new_plugin/sized_text.h"

#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

constexpr char kPlace = '\x01';

}  // namespace

SizedText& SizedText::Add(absl::string_view plain) {
  absl::StrAppend(&text, plain);
  return *this;
}

SizedText& SizedText::Add(const SizedText& other) {
  sizes.insert(sizes.end(), other.sizes.begin(), other.sizes.end());
  return Add(other.text);
}

SizedText& SizedText::AddSize(absl::string_view name, int64_t value) {
  text.push_back(kPlace);
  sizes.push_back({std::string(name), value});
  return *this;
}

std::string SizedText::Filled(const std::vector<std::string>& fillings) const {
  std::string filled;
  size_t next = 0;
  for (const char c : text) {
    if (c == kPlace) {
      absl::StrAppend(&filled, fillings[next++]);
    } else {
      filled.push_back(c);
    }
  }
  return filled;
}

}  // namespace modelport
