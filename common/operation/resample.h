#ifndef MODELPORT_COMMON_OPERATION_RESAMPLE_H_
#define MODELPORT_COMMON_OPERATION_RESAMPLE_H_

#include <cstdint>
#include <vector>

namespace modelport {

// A size along one side of a grid, before and after.
struct Resampling {
  int64_t from;  // Above 0.
  int64_t to;    // Above 0.
  // False: cubic convolution with a = -0.75 at the four elements around a place; those beyond the edge are the last
  // one. True: with a = -0.5, and where the grid shrinks over as many elements as become one; those beyond the edge do
  // not count.
  bool antialias;
};

// Makes a grid [rows.from, columns.from, channels], which is row-major, [rows.to, columns.to, channels], as torch's
// interpolate(size=, mode="bicubic", align_corners=False) does.
std::vector<double> Resample(const std::vector<double>& grid, const Resampling& rows, const Resampling& columns,
                             int64_t channels);

}  // namespace modelport

#endif  // MODELPORT_COMMON_OPERATION_RESAMPLE_H_
