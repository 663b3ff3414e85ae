// Prints a C++ source that embeds files: embed HEADER FUNCTION FILE... defines the function that the header declares as
// absl::Span<const EmbeddedFile> FUNCTION().
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace {

// A line of text as a string literal. Octal escapes end after three digits, whatever follows.
std::string Literal(const std::string& line) {
  std::string literal = "\"";
  for (const unsigned char c : line) {
    if (c == '"' || c == '\\') {
      literal += {'\\', static_cast<char>(c)};
    } else if (c >= ' ' && c < 0x7f) {
      literal += static_cast<char>(c);
    } else {
      char escape[5];
      std::snprintf(escape, sizeof(escape), "\\%03o", c);
      literal += escape;
    }
  }
  return literal + "\"";
}

bool PrintFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  if (!stream) return false;
  std::cout << "    {" << Literal(path) << ", absl::string_view(";
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::cout << "\n     " << Literal(text.substr(begin, end - begin));
    begin = end;
  }
  std::cout << "\n     \"\", " << text.size() << ")},\n";
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  std::cout << "#include \"" << argv[1] << "\"\n\n"
            << "namespace modelport {\n\n"
            << "absl::Span<const EmbeddedFile> " << argv[2] << "() {\n"
            << "  static constexpr EmbeddedFile kFiles[] = {\n";
  for (int i = 3; i < argc; ++i) {
    if (!PrintFile(argv[i])) {
      std::cerr << argv[i] << ": cannot be read\n";
      return 1;
    }
  }
  std::cout << "  };\n"
               "  return kFiles;\n"
               "}\n\n"
               "}  // namespace modelport\n";
  return std::cout.flush() ? 0 : 1;
}
