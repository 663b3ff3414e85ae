#include "common/io/sha256_pair_blocks.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define MODELPORT_SHA __attribute__((target("sha,sse4.1,ssse3")))
#define MODELPORT_SHA_INLINE __attribute__((target("sha,sse4.1,ssse3"), always_inline)) inline

namespace modelport {
namespace {

constexpr int kLanes = 2;

// FIPS 180-4, section 4.2.2.
alignas(16) constexpr uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// The state of one stream as the instructions hold it, and the last 16 words of its message schedule.
struct Lane {
  __m128i abef, cdgh;
  __m128i words[4];
};

MODELPORT_SHA_INLINE void LoadState(const uint32_t* state, Lane& lane) {
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(state)), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(state + 4)), 0x1b);
  lane.abef = _mm_alignr_epi8(badc, hgfe, 8);
  lane.cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
}

MODELPORT_SHA_INLINE void StoreState(const Lane& lane, uint32_t* state) {
  const __m128i feba = _mm_shuffle_epi32(lane.abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(lane.cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

// Four words of the message schedule: those of the block for the first four steps, later made of the 16 before.
MODELPORT_SHA_INLINE __m128i NextWords(const Lane& lane, const char* block, int step) {
  if (step < 4) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + step), big_endian);
  }
  const __m128i last = lane.words[(step + 3) & 3];
  const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(lane.words[step & 3], lane.words[(step + 1) & 3]),
                                    _mm_alignr_epi8(last, lane.words[(step + 2) & 3], 4));
  return _mm_sha256msg2_epu32(sum, last);
}

// Four of the 64 rounds.
MODELPORT_SHA_INLINE void Step(Lane& lane, const char* block, int step) {
  const __m128i words = NextWords(lane, block, step);
  lane.words[step & 3] = words;
  const __m128i input = _mm_add_epi32(words, _mm_load_si128(reinterpret_cast<const __m128i*>(kRoundConstants) + step));
  lane.cdgh = _mm_sha256rnds2_epu32(lane.cdgh, lane.abef, input);
  lane.abef = _mm_sha256rnds2_epu32(lane.abef, lane.cdgh, _mm_shuffle_epi32(input, 0x0e));
}

}  // namespace

bool HasShaInstructions() {
  static const bool has_sha = [] {
    unsigned int a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
  }();
  return has_sha;
}

MODELPORT_SHA void CompressBlockPairs(uint32_t* first_state, const char* first, uint32_t* second_state,
                                      const char* second, size_t blocks) {
  Lane lanes[kLanes];
  LoadState(first_state, lanes[0]);
  LoadState(second_state, lanes[1]);
  for (; blocks > 0; --blocks, first += 64, second += 64) {
    const Lane before[kLanes] = {lanes[0], lanes[1]};
    // Unrolled, so that the two chains interleave and the words stay in registers.
#pragma GCC unroll 16
    for (int step = 0; step < 16; ++step) {
      Step(lanes[0], first, step);
      Step(lanes[1], second, step);
    }
    for (int i = 0; i < kLanes; ++i) {
      lanes[i].abef = _mm_add_epi32(lanes[i].abef, before[i].abef);
      lanes[i].cdgh = _mm_add_epi32(lanes[i].cdgh, before[i].cdgh);
    }
  }
  StoreState(lanes[0], first_state);
  StoreState(lanes[1], second_state);
}

}  // namespace modelport

#else

namespace modelport {

bool HasShaInstructions() { return false; }

void CompressBlockPairs(uint32_t*, const char*, uint32_t*, const char*, size_t) {}

}  // namespace modelport

#endif
