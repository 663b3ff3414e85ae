// Resizing of images by its definition, independent of models/transforms: each output is a sum over all inputs.
#ifndef MODELPORT_TESTS_LAYERS_RESIZE_REFERENCE_H_
#define MODELPORT_TESTS_LAYERS_RESIZE_REFERENCE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace modelport {

// The weights [outputs, inputs] of resizing along one side, in float64. `filter` is one of
//   bilinear, bicubic                          a = -0.75; the pixels of the border continue outside
//   antialiased bilinear, antialiased bicubic  a = -0.5; the filter ends at the border
//   area                                       the mean of what an output covers
//   opencv_cubic                               bicubic with places and weights in float32
at::Tensor ResizeWeights(int64_t outputs, int64_t inputs, const std::string& filter);

// Resizes `image` [..., H, W] to [..., height, width] in float64.
at::Tensor ResizeByDefinition(const at::Tensor& image, int64_t height, int64_t width, const std::string& filter);

}  // namespace modelport

#endif  // MODELPORT_TESTS_LAYERS_RESIZE_REFERENCE_H_
