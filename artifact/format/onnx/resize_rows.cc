// Images of other sizes. Linear and nearest ones are ONNX's Resize. Bicubic and antialiased ones are two products with
// weights that are computed from the sizes, since not all runtimes have these modes, and none has ATen's borders.

#include <ATen/ops/arange.h>
#include <ATen/ops/replication_pad2d.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>

#include <cmath>

#include "artifact/format/onnx/aten_call.h"

namespace modelport::onnx {
namespace {

const Number kOne(int64_t{1});

// A scale that the code states, such as 2.0; none: it follows from the sizes.
absl::optional<Number> ScaleOf(AtenCall& op, size_t i) {
  if (i >= op.size() || op.IsNone(i)) return absl::nullopt;
  return ToFloat(op.Num(i));
}

// The result's shape of `sizes`, or of the tensor's sizes times the scales.
Shape SizedAs(const Shape& old, const Shape& sizes) {
  Shape shape(old.begin(), old.begin() + 2);
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  return shape;
}

TensorPtr Resize(AtenCall& op, const Shape& shape, const Attributes& attributes) {
  const TensorPtr x = op.In(0);
  const Shape old = op.ShapeOf(x);
  // Whole factors are numbers that every runtime takes, also those that want them to be constant.
  std::vector<float> scales;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (const auto factor = Multiple(shape[i], old[i])) scales.push_back(static_cast<float>(*factor));
  }
  if (scales.size() == shape.size()) {
    const std::string factors = op.Name(op.ConstantOf(at::tensor(scales)));
    return op.MakeOf("Resize", {op.Name(x), "", factors}, x->type, shape, attributes);
  }
  return op.MakeOf("Resize", {op.Name(x), "", "", op.List(shape)}, x->type, shape, attributes);
}

// A stated scale must be that of the sizes: ONNX's Resize takes one of both.
void CheckScales(AtenCall& op, const Shape& shape, const Shape& old, size_t first) {
  for (size_t i = 2; i < shape.size(); ++i) {
    const absl::optional<Number> scale = ScaleOf(op, first + i - 2);
    if (!scale) continue;
    const absl::optional<int64_t> factor = Multiple(shape[i], old[i]);
    op.FailUnless(factor && scale->AsFloat() == static_cast<double>(*factor), "with a scale that is no whole number");
  }
}

// x, size, align_corners, scales: of one or two dimensions.
Value Linear(AtenCall& op) {
  const Shape old = op.ShapeOf(op.In(0)), shape = SizedAs(old, op.Numbers(1));
  const bool aligns = op.Bool(2);
  if (!aligns) CheckScales(op, shape, old, 3);
  return Resize(op, shape,
                {Attribute("mode", "linear"),
                 Attribute("coordinate_transformation_mode", aligns ? "align_corners" : "half_pixel")});
}

// x, size, scales
Value Nearest(AtenCall& op) {
  const Shape old = op.ShapeOf(op.In(0)), shape = SizedAs(old, op.Numbers(1));
  CheckScales(op, shape, old, 2);
  return Resize(op, shape,
                {Attribute("mode", "nearest"), Attribute("coordinate_transformation_mode", "asymmetric"),
                 Attribute("nearest_mode", "floor")});
}

// ((a * d + b) * d + c) * d + e
TensorPtr Cubic(AtenCall& op, const TensorPtr& d, double a, double b, double c, double e) {
  TensorPtr value = op.Binary("Add", op.Binary("Mul", d, a), b);
  value = op.Binary("Mul", value, d);
  if (c != 0) value = op.Binary("Add", value, c);
  return op.Binary("Add", op.Binary("Mul", value, d), e);
}

// The weight that Keys' filter of parameter `a` gives to samples at these distances, which are not negative.
TensorPtr KeysWeights(AtenCall& op, const TensorPtr& d, double a) {
  const TensorPtr near = Cubic(op, d, a + 2, -(a + 3), 0, 1), far = Cubic(op, d, a, -5 * a, 8 * a, -4 * a);
  const auto below = [&](double limit) {
    return op.Make("Less", {d, op.ConstantOf(at::scalar_tensor(limit, at::kFloat))}, at::kBool, op.ShapeOf(d));
  };
  const TensorPtr zero = op.ConstantOf(at::scalar_tensor(0, at::kFloat));
  const TensorPtr outer = op.Make("Where", {below(2), far, zero}, at::kFloat, op.ShapeOf(d));
  return op.Make("Where", {below(1), near, outer}, at::kFloat, op.ShapeOf(d));
}

// What a tent gives: 1 - d, at least 0.
TensorPtr TentWeights(AtenCall& op, const TensorPtr& d) {
  const TensorPtr one = op.ConstantOf(at::scalar_tensor(1, at::kFloat));
  return op.Unary("Relu", op.Make("Sub", {one, d}, at::kFloat, op.ShapeOf(d)));
}

// Where each of `size` results is taken, in samples: result i at (i + 0.5) * step - 0.5.
TensorPtr Centres(AtenCall& op, const Number& size, const Number& step) {
  const TensorPtr middle = op.Binary("Add", op.Range(size, at::kFloat), 0.5);
  return op.Binary("Sub", op.Binary("Mul", middle, op.NumberAs(step, at::kFloat)), 0.5);
}

// The distances of the samples `places` from the `centres`: [centres, places].
TensorPtr Distances(AtenCall& op, const TensorPtr& centres, const TensorPtr& places) {
  return op.Unary("Abs", op.Binary("Sub", op.Reshape(centres, {op.ShapeOf(centres)[0], kOne}), places));
}

// x, size, align_corners, scales: ATen repeats the borders, so x gets two more samples at each side.
Value Bicubic(AtenCall& op) {
  const TensorPtr x = op.Wide(op.In(0));
  op.FailUnless(!op.Bool(2), "with aligned corners");
  const Shape old = op.ShapeOf(x), sizes = op.Numbers(1);
  op.FailUnless(old.size() == 4 && sizes.size() == 2, "of other than four dimensions");
  if (!op.status().ok()) return x;
  const Shape padded_shape = {old[0], old[1], old[2] + Number(int64_t{4}), old[3] + Number(int64_t{4})};
  const TensorPtr padded = x->constant.defined() ? op.ConstantOf(at::replication_pad2d(x->constant, {2, 2, 2, 2}))
                                                 : op.MakeOf("Pad", {op.Name(x), op.Constant({0, 0, 2, 2, 0, 0, 2, 2})},
                                                             x->type, padded_shape, {Attribute("mode", "edge")});
  const auto weights = [&](size_t i) {
    const absl::optional<Number> scale = ScaleOf(op, 3 + i);
    const Number step = scale ? TrueDiv(Number(1.0), *scale) : TrueDiv(old[2 + i], sizes[i]);
    TensorPtr centres = Centres(op, sizes[i], step);
    if (scale) {
      // A stated scale may lead beyond the borders, where all samples are that of the border.
      centres = op.Binary("Max", op.Binary("Min", centres, op.NumberAs(old[2 + i], at::kFloat)), -1);
    }
    const TensorPtr places = op.Binary("Sub", op.Range(padded_shape[2 + i], at::kFloat), 2);
    return KeysWeights(op, Distances(op, centres, places), -0.75);
  };
  return op.Cast(op.MatMul(op.MatMul(weights(0), padded), op.Transpose(weights(1), {1, 0})), op.In(0)->type);
}

// x, size, align_corners, scales. Where it shrinks, the filter is widened; weights beyond the borders are left out and
// the others scaled to the sum 1.
Value Antialiased(AtenCall& op, TensorPtr (*filter)(AtenCall&, const TensorPtr&)) {
  const TensorPtr x = op.Wide(op.In(0));
  op.FailUnless(!op.Bool(2), "with aligned corners");
  const Shape old = op.ShapeOf(x), sizes = op.Numbers(1);
  op.FailUnless(old.size() == 4 && sizes.size() == 2, "of other than four dimensions");
  if (!op.status().ok()) return x;
  const auto weights = [&](size_t i) {
    const absl::optional<Number> scale = ScaleOf(op, 3 + i);
    const Number step = scale ? TrueDiv(Number(1.0), *scale) : TrueDiv(old[2 + i], sizes[i]);
    const TensorPtr width = op.NumberAs(Max(step, Number(1.0)), at::kFloat);
    const TensorPtr distances = Distances(op, Centres(op, sizes[i], step), op.Range(old[2 + i], at::kFloat));
    const TensorPtr raw = filter(op, op.Binary("Div", distances, width));
    const TensorPtr sum = op.MakeOf("ReduceSum", {op.Name(raw), op.Constant({1})}, at::kFloat, {sizes[i], kOne});
    return op.Binary("Div", raw, sum);
  };
  return op.Cast(op.MatMul(op.MatMul(weights(0), x), op.Transpose(weights(1), {1, 0})), op.In(0)->type);
}

Value BicubicAntialiased(AtenCall& op) {
  return Antialiased(op, [](AtenCall& inner, const TensorPtr& d) { return KeysWeights(inner, d, -0.5); });
}

Value LinearAntialiased(AtenCall& op) { return Antialiased(op, TentWeights); }

// x, grid, mode, what is beyond the borders, align_corners.
Value GridSample(AtenCall& op) {
  const TensorPtr x = op.In(0), grid = op.In(1);
  // Opset 20 has other names for the first and the third.
  const char* const old_modes[] = {"bilinear", "nearest", "bicubic"};
  const char* const new_modes[] = {"linear", "nearest", "cubic"};
  const char* const borders[] = {"zeros", "border", "reflection"};
  const int64_t mode = op.Int(2), border = op.Int(3);
  Shape shape = op.ShapeOf(x);
  const Shape places = op.ShapeOf(grid);
  op.FailUnless(shape.size() == 4 && places.size() == 4, "of other than four dimensions");
  op.FailUnless(mode >= 0 && mode < 3 && border >= 0 && border < 3, "of an unknown mode");
  if (!op.status().ok()) return x;
  shape[2] = places[1];
  shape[3] = places[2];
  return op.Make("GridSample", {x, grid}, x->type, shape,
                 {Attribute("mode", (op.opset() >= 20 ? new_modes : old_modes)[mode]),
                  Attribute("padding_mode", borders[border]), Attribute("align_corners", int64_t{op.Bool(4)})});
}

constexpr Row kRows[] = {
    {"aten::grid_sampler", GridSample},
    {"aten::upsample_linear1d", Linear},
    {"aten::upsample_bilinear2d", Linear},
    {"aten::upsample_nearest2d", Nearest},
    {"aten::upsample_bicubic2d", Bicubic},
    {"aten::_upsample_bicubic2d_aa", BicubicAntialiased},
    {"aten::_upsample_bilinear2d_aa", LinearAntialiased},
};

}  // namespace

absl::Span<const Row> ResizeRows() { return kRows; }

}  // namespace modelport::onnx
