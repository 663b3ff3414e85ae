#include "registry/static_shape.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/module_tree/size_tables.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// The multiple of `step` that is nearest to `side`; at least one.
int64_t NearestMultiple(int64_t side, int64_t step) { return std::max<int64_t>((side + step / 2) / step, 1) * step; }

bool ResizesImages(const EntryPoint& entry_point) {
  return std::any_of(entry_point.inputs.begin(), entry_point.inputs.end(),
                     [](const Port& port) { return !port.image.empty() && port.image != "prepared"; });
}

// The sizes by their names in the shapes of the images that `entry_point` takes: {H: 518, W: 924}.
Scope SizesByName(const EntryPoint& entry_point, const ImageSize& size) {
  Scope sizes;
  for (const Port& port : entry_point.inputs) {
    if (port.image.empty() || !port.shape.has_value() || port.shape->size() < 2) continue;
    sizes.emplace(port.shape->end()[-2].text(), size.height);
    sizes.emplace(port.shape->end()[-1].text(), size.width);
  }
  return sizes;
}

absl::Status StateSizes(const Scope& sizes, std::vector<Port>& ports) {
  for (Port& port : ports) {
    if (!port.image.empty()) {
      port.size = absl::nullopt;
      port.resize.clear();
    }
    if (!port.shape.has_value()) continue;
    for (Expression& side : *port.shape) {
      ASSIGN_OR_RETURN(side, side.Bind(sizes));
    }
  }
  return absl::OkStatus();
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

absl::Status StateStaticShape(const ImageSize& size, std::vector<EntryPoint>& entry_points) {
  for (EntryPoint& entry_point : entry_points) {
    const Scope sizes = SizesByName(entry_point, size);
    RETURN_IF_ERROR(StateSizes(sizes, entry_point.inputs));
    RETURN_IF_ERROR(StateSizes(sizes, entry_point.outputs));
  }
  return absl::OkStatus();
}

}  // namespace modelport
