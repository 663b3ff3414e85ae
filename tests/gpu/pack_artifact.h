#ifndef MODELPORT_TESTS_GPU_PACK_ARTIFACT_H_
#define MODELPORT_TESTS_GPU_PACK_ARTIFACT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/seeded.h"

namespace modelport {

// An artifact without the weights that the rule for seeded weights gives again, small enough to carry to a machine with
// a GPU. fill.cc makes the artifact of it, the same to the bit. It is a sequence of
//   "bytes COUNT\n" and COUNT bytes
//   "seeded COUNT SEED CENTER SPREAD KEY\n", in place of COUNT float32 numbers of this key (seeded_numbers.h)
// Records of `artifact`, a zip archive, that do not hold the seeded numbers of one of `keys` are kept as they are.
//   DataLoss  not a zip archive
absl::StatusOr<std::string> PackArtifact(absl::string_view artifact, const std::vector<SeededKey>& keys, uint64_t seed);

}  // namespace modelport

#endif  // MODELPORT_TESTS_GPU_PACK_ARTIFACT_H_
