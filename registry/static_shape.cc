#include "registry/static_shape.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/size_tables.h"

namespace modelport {
namespace {

// The multiple of `step` that is nearest to `side`; at least one.
int64_t NearestMultiple(int64_t side, int64_t step) { return std::max<int64_t>((side + step / 2) / step, 1) * step; }

bool ResizesImages(const EntryPoint& entry_point) {
  return std::any_of(entry_point.inputs.begin(), entry_point.inputs.end(),
                     [](const Port& port) { return !port.image.empty() && port.image != "prepared"; });
}

}  // namespace

absl::Status CheckStaticShape(const ImageSize& size, const Plugin& plugin, const ModuleTree& model,
                              const Target& target, bool with_preprocess) {
  if (target.wraps) {
    return absl::InvalidArgumentError(absl::StrCat("a node of ", target.name,
                                                   " gets images of any size: leave --static_shape out, or export "
                                                   "for --target=libtorch"));
  }
  if (with_preprocess) {
    return absl::InvalidArgumentError(
        "an artifact that prepares images itself takes them in any size: leave out --static_shape or "
        "--with_preprocess");
  }
  if (SizeTables(model).empty()) {
    return absl::InvalidArgumentError("the model computes nothing from the size alone: leave --static_shape out");
  }
  for (const EntryPoint& entry_point : model.entry_points) {
    if (!ResizesImages(entry_point)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        entry_point.method, " takes images of any size, which it resizes itself: leave --static_shape out"));
  }
  const int64_t step = plugin.preprocessing.multiple_of;
  if (size.height % step == 0 && size.width % step == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the model takes heights and widths that are multiples of ", step, "; the nearest is ",
                   ImageSizeString({NearestMultiple(size.height, step), NearestMultiple(size.width, step)})));
}

}  // namespace modelport
