// The numbers of seeded weights, rule v1. Needs only the standard library, so that programs without Abseil compute the
// same ones.
#ifndef MODELPORT_COMMON_CHECKPOINT_SEEDED_NUMBERS_H_
#define MODELPORT_COMMON_CHECKPOINT_SEEDED_NUMBERS_H_

#include <cstdint>
#include <string>

namespace modelport {

// A uniform distribution on [center - spread, center + spread).
struct SeededDistribution {
  double center = 0;
  double spread = 0;
};

// The sequence of float32(center + spread * u_i), u_i in [-1, 1) from `key`, `seed` and the index i.
class SeededNumbers {
 public:
  SeededNumbers(const std::string& key, uint64_t seed, const SeededDistribution& distribution)
      : base_(Mix(Fnv1a64(key) + seed * kGolden)), distribution_(distribution) {}

  // A fused multiply-add would round differently: compile with -ffp-contract=off.
  float operator[](uint64_t i) const {
    const double u = static_cast<double>(Mix(base_ + (i + 1) * kGolden) >> 40) * 0x1p-23 - 1.0;
    return static_cast<float>(distribution_.center + distribution_.spread * u);
  }

 private:
  static constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

  // The finaliser of splitmix64.
  static uint64_t Mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  static uint64_t Fnv1a64(const std::string& text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    return hash;
  }

  uint64_t base_;
  SeededDistribution distribution_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_SEEDED_NUMBERS_H_
