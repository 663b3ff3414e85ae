#include "tools/predict/read_trimap.h"

#include <ATen/ops/empty.h>

#include <type_traits>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "tools/image/picture.h"
#include "tools/image/read_image.h"
#include "tools/image/transfer.h"

namespace modelport {

absl::StatusOr<at::Tensor> ReadTrimap(const std::string& path, int64_t max_pixels) {
  if (path.empty()) return at::Tensor();
  ASSIGN_OR_RETURN(const ReadImageResult read, ReadImage(path, max_pixels));
  const Image& image = read.image;
  return std::visit(
      [&](const auto& rgb) -> absl::StatusOr<at::Tensor> {
        using Value = typename std::decay_t<decltype(rgb)>::value_type;
        at::Tensor trimap = at::empty({1, image.height, image.width}, c10::CppTypeToScalarType<Value>::value);
        Value* to = trimap.mutable_data_ptr<Value>();
        for (size_t i = 0; i < rgb.size(); i += 3) {
          if (rgb[i] != rgb[i + 1] || rgb[i] != rgb[i + 2]) {
            return absl::InvalidArgumentError(absl::StrCat(
                path,
                ": a trimap is grey (black background, white foreground, unknown between); this is a colour image"));
          }
          *to++ = read.was_linear ? static_cast<Value>(SrgbToLinear(rgb[i])) : rgb[i];
        }
        return trimap;
      },
      image.pixels);
}

}  // namespace modelport
