#include "common/text/utf8.h"

namespace modelport {
namespace {

// The number of bytes that follow the lead byte of a character; -1 if `lead` starts no character.
int ContinuationCount(uint8_t lead) {
  if (lead < 0x80) return 0;
  if ((lead & 0xe0) == 0xc0) return 1;
  if ((lead & 0xf0) == 0xe0) return 2;
  if ((lead & 0xf8) == 0xf0) return 3;
  return -1;
}

bool IsScalarValue(uint32_t code_point, int continuation_count) {
  constexpr uint32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xd800 && code_point < 0xe000;
  return code_point >= kSmallest[continuation_count] && code_point <= 0x10ffff && !surrogate;
}

}  // namespace

absl::optional<Utf8Character> FirstUtf8Character(absl::string_view text) {
  if (text.empty()) return absl::nullopt;
  const uint8_t lead = static_cast<uint8_t>(text[0]);
  const int count = ContinuationCount(lead);
  if (count < 0 || text.size() <= static_cast<size_t>(count)) return absl::nullopt;
  uint32_t code_point = count == 0 ? lead : lead & (0x3f >> count);
  for (int k = 1; k <= count; ++k) {
    const uint8_t byte = static_cast<uint8_t>(text[k]);
    if ((byte & 0xc0) != 0x80) return absl::nullopt;
    code_point = code_point << 6 | (byte & 0x3f);
  }
  if (!IsScalarValue(code_point, count)) return absl::nullopt;
  return Utf8Character{code_point, static_cast<size_t>(count) + 1};
}

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    const absl::optional<Utf8Character> first = FirstUtf8Character(text);
    if (!first) return false;
    text.remove_prefix(first->size);
  }
  return true;
}

}  // namespace modelport
