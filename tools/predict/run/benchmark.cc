#include "tools/predict/run/benchmark.h"

#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/status/status_macros.h"
#include "tools/predict/run/run_model.h"

namespace modelport {
namespace {

constexpr int kWarmUp = 2, kLeastRuns = 10, kMostRuns = 1000;
constexpr absl::Duration kLeastTime = absl::Seconds(3);

double PeakMemory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace

absl::StatusOr<Benchmark> MeasureModel(const LoadedArtifact& artifact, const Image& image, absl::optional<int64_t> size,
                                       const at::Tensor& trimap) {
  std::vector<double> seconds;
  const absl::Time begin = absl::Now();
  for (int run = 0; run < kMostRuns; ++run) {
    if (run >= kWarmUp + kLeastRuns && absl::Now() - begin > kLeastTime) break;
    const absl::Time start = absl::Now();
    RETURN_IF_ERROR(RunModel(artifact, absl::MakeConstSpan(&image, 1), size, trimap).status());
    if (run >= kWarmUp) seconds.push_back(absl::ToDoubleSeconds(absl::Now() - start));
  }
  std::sort(seconds.begin(), seconds.end());
  return Benchmark{static_cast<int>(seconds.size()), seconds[seconds.size() / 2],
                   seconds[(seconds.size() * 9 + 9) / 10 - 1], PeakMemory()};
}

}  // namespace modelport
