#ifndef MODELPORT_COMMON_MANIFEST_DESCRIBE_PROOF_H_
#define MODELPORT_COMMON_MANIFEST_DESCRIBE_PROOF_H_

#include <string>

#include "common/manifest/manifest.pb.h"

namespace modelport {

// The largest difference of two outputs as a part of the output's range; 0: all are bitwise equal. Outputs that are
// equal only on the same memory do not count.
double LargestDifference(const Manifest::RoundTrip& round_trip);

// What was proven of all outputs: "bitwise equal" or "equal within 6e-07 of their range", and what qualifies it. Of an
// artifact without a proof it is "not compared".
std::string DescribeOutputs(const Manifest::RoundTrip& round_trip);

// What was proven: "643 tensors bitwise equal, 534 methods equal, 3 outputs bitwise equal", or "none (--noverify)".
std::string DescribeProof(const Manifest::RoundTrip& round_trip);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_DESCRIBE_PROOF_H_
