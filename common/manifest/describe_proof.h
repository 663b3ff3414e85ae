#ifndef MODELPORT_COMMON_MANIFEST_DESCRIBE_PROOF_H_
#define MODELPORT_COMMON_MANIFEST_DESCRIBE_PROOF_H_

#include <string>

#include "common/manifest/manifest.pb.h"

namespace modelport {

// The largest difference of two outputs as a part of the output's range; 0: all are bitwise equal. Outputs that are
// equal only on the same memory do not count.
double LargestDifference(const Manifest::RoundTrip& round_trip);

// What was proven: "643 tensors bitwise equal, 534 methods equal, 3 outputs bitwise equal", or "none (--noverify)".
std::string DescribeProof(const Manifest::RoundTrip& round_trip);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_DESCRIBE_PROOF_H_
