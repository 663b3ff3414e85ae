// Pictures of Nuke as tensors.
#ifndef MODELPORT_TESTS_NUKE_PLATE_H_
#define MODELPORT_TESTS_NUKE_PLATE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace modelport {

// Pixels from (x, y) to (r, t); rows are counted from below.
struct Area {
  int64_t x, y, r, t;

  bool operator==(const Area&) const = default;
};

Area Union(const Area& a, const Area& b);

// A picture of Nuke: its format from (0, 0), and channels [t - y, r - x], the topmost row first, where it has pixels.
// Elsewhere it is black or, as Nuke has what was not put on black, what its outermost pixels are.
struct Plate {
  int64_t width = 0, height = 0;
  Area box = {};
  std::map<std::string, at::Tensor> channels = {};
  double pixel_aspect = 1;
  std::string metadata = "";
  bool is_on_black = true;

  // A channel in any area; black if there is no such channel.
  at::Tensor Get(const std::string& channel, const Area& area) const;

  // Channels of the whole area as a model takes them, [1, C, H, W].
  at::Tensor Image(const std::vector<std::string>& names, const Area& area) const;

  // A plate of the same format, pixel aspect and metadata with this box and no channels.
  Plate Empty(const Area& other_box) const {
    return {width, height, other_box, {}, pixel_aspect, metadata, is_on_black};
  }

  Area format() const { return {0, 0, width, height}; }
};

// Colours from linear to sRGB's encoding, and back.
at::Tensor ToSRGB(const at::Tensor& linear);
at::Tensor ToLinear(const at::Tensor& encoded);

}  // namespace modelport

#endif  // MODELPORT_TESTS_NUKE_PLATE_H_
