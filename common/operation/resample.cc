#include "common/operation/resample.h"

#include <algorithm>
#include <cmath>

namespace modelport {
namespace {

// What an element gives to one of the result.
struct Tap {
  int64_t index;
  double weight;
};

// The cubic convolution kernel with the parameter `a`, at distance `x`.
double Cubic(double x, double a) {
  x = std::abs(x);
  if (x >= 2) return 0;
  if (x > 1) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return ((a + 2) * x - (a + 3)) * x * x + 1;
}

std::vector<Tap> TapsAt(int64_t to, const Resampling& side) {
  const double place = static_cast<double>(side.from) / side.to * (to + 0.5) - 0.5;
  const int64_t left = std::floor(place);
  std::vector<Tap> taps;
  for (int64_t i = left - 1; i <= left + 2; ++i) {
    taps.push_back({std::clamp<int64_t>(i, 0, side.from - 1), Cubic(i - place, -0.75)});
  }
  return taps;
}

std::vector<Tap> AntialiasedTapsAt(int64_t to, const Resampling& side) {
  const double scale = static_cast<double>(side.from) / side.to, stretch = std::max(scale, 1.0);
  const double center = scale * (to + 0.5);
  const int64_t begin = std::max<int64_t>(center - 2 * stretch + 0.5, 0);
  const int64_t end = std::min<int64_t>(center + 2 * stretch + 0.5, side.from);
  std::vector<Tap> taps;
  double sum = 0;
  for (int64_t i = begin; i < end; ++i) {
    taps.push_back({i, Cubic((i - center + 0.5) / stretch, -0.5)});
    sum += taps.back().weight;
  }
  for (Tap& tap : taps) tap.weight /= sum;
  return taps;
}

// Resamples the second dimension of `array`, which counts [outer, side.from, inner].
std::vector<double> ResampleSide(const std::vector<double>& array, int64_t outer, const Resampling& side,
                                 int64_t inner) {
  std::vector<double> result(outer * side.to * inner);
  for (int64_t to = 0; to < side.to; ++to) {
    for (const auto& [index, weight] : side.antialias ? AntialiasedTapsAt(to, side) : TapsAt(to, side)) {
      for (int64_t o = 0; o < outer; ++o) {
        const double* const in = array.data() + (o * side.from + index) * inner;
        double* const out = result.data() + (o * side.to + to) * inner;
        for (int64_t i = 0; i < inner; ++i) out[i] += weight * in[i];
      }
    }
  }
  return result;
}

}  // namespace

std::vector<double> Resample(const std::vector<double>& grid, const Resampling& rows, const Resampling& columns,
                             int64_t channels) {
  return ResampleSide(ResampleSide(grid, rows.from, columns, channels), 1, rows, columns.to * channels);
}

}  // namespace modelport
