#ifndef MODELPORT_COMMON_TEXT_PRINTABLE_STREAM_H_
#define MODELPORT_COMMON_TEXT_PRINTABLE_STREAM_H_

#include <ostream>
#include <streambuf>
#include <string>

namespace modelport {

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

#endif  // MODELPORT_COMMON_TEXT_PRINTABLE_STREAM_H_
