#include "targets/unreal/unreal.h"

namespace modelport {

const Target& UnrealTarget() {
  static const auto* const target = new Target{.name = "unreal",
                                               .title = "Unreal Engine",
                                               .format = FormatKind::kOnnx,
                                               .wrappers = "nuke",
                                               .dtypes = {DType::kFloat32},
                                               .onnx = {.sizes = {{"B", 1}}, .wants_sizes = {"H", "W"}}};
  return *target;
}

}  // namespace modelport
