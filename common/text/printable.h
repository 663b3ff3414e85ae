// Makes text from outside (keys, class names, metadata, paths) safe for a terminal and free of line ends.
#ifndef MODELPORT_COMMON_TEXT_PRINTABLE_H_
#define MODELPORT_COMMON_TEXT_PRINTABLE_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <streambuf>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {

// `text` as one line of visible characters in UTF-8. Line ends and tabs become \n, \r and \t. Other control characters
// and bytes that are not UTF-8 become escapes such as \x1b. Characters that are invisible or change the direction of
// the text after them become escapes such as \u{202e}. Everything else, including backslashes, stays unchanged, so
// Printable(Printable(text)) equals Printable(text).
std::string Printable(absl::string_view text);

// Printable(text), except that line ends stay: a message of several lines.
std::string PrintableLines(absl::string_view text);

// Printable(text). Of a text of more than `max_size` bytes it shows only the beginning and the size:
// "blocks.0.attn... (1048576 bytes)".
std::string Brief(absl::string_view text, size_t max_size = 200);

// A character in UTF-8.
struct Utf8Character {
  uint32_t code_point;
  size_t size;  // The length of its encoding in bytes.
};

// The character that `text` begins with; nullopt if `text` is empty or does not begin with well-formed UTF-8: no
// overlong forms, no surrogates, nothing above U+10FFFF.
absl::optional<Utf8Character> FirstUtf8Character(absl::string_view text);

// Whether `text` is a sequence of such characters.
bool IsUtf8(absl::string_view text);

// While this object lives, text written to `stream` is made Printable, except for its line ends and tabs. So no text
// can send commands to the terminal, even if a message was built without Printable. A line is written when it ends or
// the stream is flushed.
class PrintableStream : private std::streambuf {
 public:
  explicit PrintableStream(std::ostream& stream) : stream_(stream), target_(stream.rdbuf(this)) {}
  ~PrintableStream() override;
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

  // Writes the buffered part of a line.
  void WriteLine();

  std::ostream& stream_;
  std::streambuf* target_;
  std::string line_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_PRINTABLE_H_
