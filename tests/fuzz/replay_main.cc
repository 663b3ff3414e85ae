// The main of a fuzz target without libFuzzer: gives it each file that is named on the command line.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream stream(argv[i], std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    if (!stream.is_open()) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 1;
    }
    // Printed before, so that the last line names the input of a crash.
    std::printf("%s\n", argv[i]);
    std::fflush(stdout);
    // A copy of its own size, so that a sanitizer sees a read past its end.
    const std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), copy.get());
    LLVMFuzzerTestOneInput(copy.get(), bytes.size());
  }
  std::printf("%d inputs\n", argc - 1);
  return argc > 1 ? 0 : 1;
}
