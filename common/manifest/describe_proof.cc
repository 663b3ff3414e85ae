#include "common/manifest/describe_proof.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace modelport {

double LargestDifference(const Manifest::RoundTrip& round_trip) {
  double largest = 0;
  for (const auto& output : round_trip.outputs()) {
    if (!output.equal_on_same_memory()) largest = std::max(largest, output.relative());
  }
  return largest;
}

std::string DescribeProof(const Manifest::RoundTrip& round_trip) {
  if (!round_trip.proven()) return "none (--noverify)";
  const double largest = LargestDifference(round_trip);
  const int magnified = std::count_if(round_trip.outputs().begin(), round_trip.outputs().end(),
                                      [](const auto& output) { return output.equal_on_same_memory(); });
  return absl::StrCat(round_trip.tensors(), " tensors bitwise equal, ", round_trip.methods(), " methods equal, ",
                      round_trip.outputs_size(), " outputs ",
                      largest == 0 ? "bitwise equal" : absl::StrFormat("equal within %.0e of their range", largest),
                      magnified == 0 ? "" : absl::StrCat(", ", magnified, " of them only on the same memory"),
                      round_trip.kernel_fault().empty() ? "" : ", without oneDNN");
}

}  // namespace modelport
