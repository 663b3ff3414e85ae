#ifndef MODELPORT_COMMON_IO_SHA256_PAIR_BLOCKS_H_
#define MODELPORT_COMMON_IO_SHA256_PAIR_BLOCKS_H_

#include <cstddef>
#include <cstdint>

namespace modelport {

// Whether this processor has SHA instructions, without which CompressBlockPairs must not be called.
bool HasShaInstructions();

// Takes `blocks` blocks of 64 bytes from `first` into the SHA-256 state `first_state` (eight words, as FIPS 180-4
// orders them), and as many from `second` into `second_state`, the two in step.
void CompressBlockPairs(uint32_t* first_state, const char* first, uint32_t* second_state, const char* second,
                        size_t blocks);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_SHA256_PAIR_BLOCKS_H_
