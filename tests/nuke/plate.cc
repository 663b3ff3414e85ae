#include "tests/nuke/plate.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace modelport {

Area Union(const Area& a, const Area& b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.r, b.r), std::max(a.t, b.t)};
}

at::Tensor Plate::Get(const std::string& channel, const Area& area) const {
  at::Tensor pixels = at::zeros({area.t - area.y, area.r - area.x});
  const auto found = channels.find(channel);
  if (found == channels.end()) return pixels;
  if (!is_on_black) {
    // Rows are counted from the topmost one.
    const at::Tensor rows = at::clamp(at::arange(area.t - area.y) + (box.t - area.t), 0, box.t - box.y - 1);
    const at::Tensor columns = at::clamp(at::arange(area.r - area.x) + (area.x - box.x), 0, box.r - box.x - 1);
    return found->second.index_select(0, rows).index_select(1, columns);
  }
  const Area both = {std::max(area.x, box.x), std::max(area.y, box.y), std::min(area.r, box.r),
                     std::min(area.t, box.t)};
  if (both.x >= both.r || both.y >= both.t) return pixels;
  const auto part = [&](const at::Tensor& whole, const Area& its) {
    return whole.slice(0, its.t - both.t, its.t - both.y).slice(1, both.x - its.x, both.r - its.x);
  };
  part(pixels, area).copy_(part(found->second, box));
  return pixels;
}

at::Tensor Plate::Image(const std::vector<std::string>& names, const Area& area) const {
  std::vector<at::Tensor> parts;
  for (const std::string& name : names) parts.push_back(Get(name, area).reshape({1, 1, area.t - area.y, -1}));
  return at::cat(parts, 1);
}

at::Tensor ToSRGB(const at::Tensor& linear) {
  return at::where(linear <= 0.0031308, linear * 12.92, at::pow(at::clamp_min(linear, 0), 1 / 2.4) * 1.055 - 0.055);
}

at::Tensor ToLinear(const at::Tensor& encoded) {
  return at::where(encoded <= 0.04045, encoded / 12.92, at::pow((at::clamp_min(encoded, 0) + 0.055) / 1.055, 2.4));
}

}  // namespace modelport
