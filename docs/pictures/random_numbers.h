#ifndef MODELPORT_DOCS_PICTURES_RANDOM_NUMBERS_H_
#define MODELPORT_DOCS_PICTURES_RANDOM_NUMBERS_H_

#include <cstdint>

namespace modelport {

// 64 bits that look random, the same for the same `bits`: the mixer of SplitMix64.
inline uint64_t Scramble(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// 0 up to, but not including, 1.
inline double ToFraction(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// A sequence of random numbers, SplitMix64, that a seed decides on every machine; those of the standard library differ.
class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : state_(Scramble(seed)) {}

  uint64_t Bits() { return Scramble(state_ += 0x9e3779b97f4a7c15); }
  double Between(double least, double most) { return least + (most - least) * ToFraction(Bits()); }
  bool Chance(double share) { return ToFraction(Bits()) < share; }

 private:
  uint64_t state_;
};

}  // namespace modelport

#endif  // MODELPORT_DOCS_PICTURES_RANDOM_NUMBERS_H_
