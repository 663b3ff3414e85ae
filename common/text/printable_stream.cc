#include "common/text/printable_stream.h"

#include <algorithm>

#include "common/text/printable.h"

namespace modelport {

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
    target_->sputc(*stop);
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
  target_->sputn(printable.data(), printable.size());
  line_.clear();
}

}  // namespace modelport
