// Makes an artifact of a packed one (pack_artifact.h). Compiles with g++ alone:
//   g++ -std=c++20 -O2 -ffp-contract=off -I. tests/gpu/fill.cc -o fill
//
//   fill PACKED ARTIFACT
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/checkpoint/seeded_numbers.h"

namespace {

constexpr uint64_t kPiece = 1 << 20;

void CopyBytes(std::ifstream& packed, uint64_t count, std::ofstream& artifact) {
  std::vector<char> piece(kPiece);
  for (uint64_t left = count; left > 0;) {
    const uint64_t size = std::min(left, kPiece);
    packed.read(piece.data(), static_cast<std::streamsize>(size));
    artifact.write(piece.data(), static_cast<std::streamsize>(size));
    left -= size;
  }
}

void WriteNumbers(const modelport::SeededNumbers& numbers, uint64_t count, std::ofstream& artifact) {
  std::vector<float> piece(kPiece);
  for (uint64_t first = 0; first < count; first += kPiece) {
    const uint64_t size = std::min(count - first, kPiece);
    for (uint64_t i = 0; i < size; ++i) piece[i] = numbers[first + i];
    artifact.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(size * sizeof(float)));
  }
}

void Fill(const std::string& packed_path, const std::string& artifact_path) {
  std::ifstream packed(packed_path, std::ios::binary);
  std::ofstream artifact(artifact_path, std::ios::binary);
  std::string kind;
  uint64_t count = 0;
  while (packed >> kind >> count) {
    if (kind == "bytes") {
      packed.ignore();  // The end of the line.
      CopyBytes(packed, count, artifact);
    } else if (kind == "seeded") {
      uint64_t seed = 0;
      std::string center, spread, key;
      packed >> seed >> center >> spread >> key;
      // Streams do not read hexadecimal floats.
      WriteNumbers({key, seed, {std::strtod(center.c_str(), nullptr), std::strtod(spread.c_str(), nullptr)}}, count,
                   artifact);
    } else {
      throw std::runtime_error(packed_path + ": not a packed artifact");
    }
    if (!packed) throw std::runtime_error(packed_path + ": cannot be read to its end");
  }
  if (artifact.tellp() <= 0) throw std::runtime_error(packed_path + ": cannot be read, or holds nothing");
  if (!artifact.flush()) throw std::runtime_error(artifact_path + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: fill PACKED ARTIFACT\n";
    return 1;
  }
  try {
    Fill(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
