#include "common/torchscript/parity/slice.h"

#include <cstdint>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

// Reads a bound of at least `smallest`; `value` stays as it is if the bound is left out.
bool ReadBound(absl::string_view text, int64_t smallest, int64_t& value) {
  return text.empty() || (absl::SimpleAtoi(text, &value) && value >= smallest);
}

// Slices one dimension.
bool SliceDimension(absl::string_view text, int64_t dim, at::Tensor& tensor) {
  std::vector<absl::string_view> bounds = absl::StrSplit(text, ':');
  if (bounds.size() < 2 || bounds.size() > 3 || dim >= tensor.dim()) return false;
  bounds.resize(3);
  int64_t begin = 0, end = tensor.size(dim), step = 1;
  if (!ReadBound(bounds[0], 0, begin) || !ReadBound(bounds[1], 0, end) || !ReadBound(bounds[2], 1, step)) return false;
  tensor = tensor.slice(dim, begin, end, step);
  return true;
}

}  // namespace

absl::StatusOr<at::Tensor> Slice(at::Tensor tensor, absl::string_view slice) {
  if (slice.empty()) return tensor;
  absl::string_view inner = slice;
  bool fits = absl::ConsumePrefix(&inner, "[") && absl::ConsumeSuffix(&inner, "]");
  int64_t dim = 0;
  for (absl::string_view part : absl::StrSplit(inner, ", ")) fits = fits && SliceDimension(part, dim++, tensor);
  if (fits) return tensor;
  return absl::InvalidArgumentError(absl::StrCat("the slice ", Brief(slice), " does not fit a tensor of ", tensor.dim(),
                                                 " dimensions; wants a form such as [0:1, ::2]"));
}

}  // namespace modelport
