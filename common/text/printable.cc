#include "common/text/printable.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace modelport {
namespace {

struct Range {
  uint32_t first;
  uint32_t last;
};

// Characters above ASCII that a terminal executes as commands, does not show, or treats as line ends.
constexpr Range kHidden[] = {
    {0x80, 0x9f},        // C1 controls.
    {0xad, 0xad},        // Soft hyphen.
    {0x61c, 0x61c},      // Arabic letter mark.
    {0x180e, 0x180e},    // Mongolian vowel separator.
    {0x200b, 0x200f},    // Zero widths and direction marks.
    {0x2028, 0x202e},    // Line and paragraph separators, directional embeddings and overrides.
    {0x2060, 0x206f},    // Invisible operators, directional isolates.
    {0xfeff, 0xfeff},    // Byte order mark.
    {0xfff9, 0xfffb},    // Interlinear annotations.
    {0xe0000, 0xe007f},  // Tags.
};

bool IsVisibleAscii(char c) { return c >= 0x20 && c < 0x7f; }

bool IsHidden(uint32_t code_point) {
  return std::any_of(std::begin(kHidden), std::end(kHidden),
                     [=](const Range& range) { return code_point >= range.first && code_point <= range.last; });
}

std::string Escaped(char c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return absl::StrFormat("\\x%02x", static_cast<uint8_t>(c));
  }
}

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

std::string Printable(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t visible = std::find_if_not(text.begin(), text.end(), IsVisibleAscii) - text.begin();
    out.append(text.data(), visible);
    text.remove_prefix(visible);
    if (text.empty()) break;
    const absl::optional<Utf8Character> character = FirstUtf8Character(text);
    if (!character || character->size == 1) {
      out += Escaped(text.front());
      text.remove_prefix(1);
      continue;
    }
    if (IsHidden(character->code_point)) {
      absl::StrAppendFormat(&out, "\\u{%x}", character->code_point);
    } else {
      out.append(text.data(), character->size);
    }
    text.remove_prefix(character->size);
  }
  return out;
}

std::string PrintableLines(absl::string_view text) {
  return absl::StrJoin(absl::StrSplit(text, '\n'), "\n",
                       [](std::string* out, absl::string_view line) { out->append(Printable(line)); });
}

std::string Brief(absl::string_view text, size_t max_size) {
  if (text.size() <= max_size) return Printable(text);
  size_t kept = max_size;
  // Do not cut in the middle of a character.
  while (kept > 0 && (static_cast<uint8_t>(text[kept]) & 0xc0) == 0x80) --kept;
  return absl::StrCat(Printable(text.substr(0, kept)), "... (", text.size(), " bytes)");
}

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

PrintableStream::~PrintableStream() {
  sync();
  stream_.rdbuf(target_);
}

PrintableStream::int_type PrintableStream::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char text = traits_type::to_char_type(c);
  return xsputn(&text, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableStream::xsputn(const char* text, std::streamsize size) {
  const char* const end = text + size;
  for (const char* begin = text; begin != end;) {
    const char* const stop = std::find_if(begin, end, [](char c) { return c == '\n' || c == '\t'; });
    line_.append(begin, stop);
    if (stop == end) break;
    WriteLine();
    if (traits_type::eq_int_type(target_->sputc(*stop), traits_type::eof())) stream_.setstate(std::ios::badbit);
    begin = stop + 1;
  }
  return size;
}

int PrintableStream::sync() {
  WriteLine();
  return target_->pubsync();
}

void PrintableStream::WriteLine() {
  const std::string printable = Printable(line_);
  const auto size = static_cast<std::streamsize>(printable.size());
  if (target_->sputn(printable.data(), size) != size) stream_.setstate(std::ios::badbit);
  line_.clear();
}

}  // namespace modelport
