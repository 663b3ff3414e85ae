#ifndef MODELPORT_COMMON_TEXT_PRINTABLE_STREAM_H_
#define MODELPORT_COMMON_TEXT_PRINTABLE_STREAM_H_

#include <ostream>
#include <streambuf>
#include <string>

namespace modelport {

// While it lives, what is written to a stream comes out as Printable spells it, but for line ends and tabs: the last
// line of defence against text that a terminal obeys. Lines are passed on when they end or the stream is flushed.
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

  // Passes on what is there of a line.
  void PassOn();

  std::ostream& stream_;
  std::streambuf* target_;
  std::string line_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_PRINTABLE_STREAM_H_
