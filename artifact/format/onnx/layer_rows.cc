// Layers of networks: products, convolutions, norms, reductions, attention, and images of other sizes.

#include <ATen/ops/_upsample_bicubic2d_aa.h>
#include <ATen/ops/_upsample_bilinear2d_aa.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/replication_pad1d.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/upsample_bicubic2d.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "artifact/format/onnx/aten_call.h"

namespace modelport::onnx {
namespace {

const Number kOne(int64_t{1});

TensorPtr SwapLast(AtenCall& op, const TensorPtr& tensor) {
  std::vector<int64_t> order;
  const int64_t rank = static_cast<int64_t>(tensor->shape.size());
  for (int64_t i = 0; i < rank; ++i) order.push_back(i);
  if (rank >= 2) std::swap(order[rank - 1], order[rank - 2]);
  return op.Transpose(tensor, order);
}

Value Linear(AtenCall& op) {
  const TensorPtr product = op.MatMul(op.In(0), SwapLast(op, op.In(1)));
  return op.IsNone(2) ? product : op.Binary("Add", product, op.In(2));
}

Value Matmul(AtenCall& op) { return op.MatMul(op.In(0), op.In(1)); }

Value Addmm(AtenCall& op) {
  op.FailUnless(op.Num(3).AsFloat().value_or(op.Num(3).AsInt().value_or(0)) == 1 &&
                    op.Num(4).AsFloat().value_or(op.Num(4).AsInt().value_or(0)) == 1,
                "with factors");
  return op.Binary("Add", op.MatMul(op.In(1), op.In(2)), op.In(0));
}

Value Einsum(AtenCall& op) {
  std::string equation = op.Text(0);
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const std::vector<TensorPtr> tensors = op.Tensors(1);
  const size_t arrow = equation.find("->");
  op.FailUnless(arrow != std::string::npos && equation.find('.') == std::string::npos, "without -> or with ...");
  if (!op.status().ok()) return std::make_shared<Tensor>();
  std::map<char, Number> sizes;
  size_t tensor = 0, axis = 0;
  for (const char letter : equation.substr(0, arrow)) {
    if (letter == ',') {
      ++tensor;
      axis = 0;
    } else if (tensor < tensors.size() && axis < tensors[tensor]->shape.size()) {
      // A size of 1 is broadcast to that of another tensor.
      const Number size = op.ShapeOf(tensors[tensor])[axis++];
      const auto [known, is_new] = sizes.emplace(letter, size);
      if (!is_new && known->second.AsInt() == 1) known->second = size;
    }
  }
  Shape shape;
  for (const char letter : equation.substr(arrow + 2)) shape.push_back(sizes[letter]);
  return op.Make("Einsum", tensors, tensors[0]->type, shape, {Attribute("equation", equation)});
}

// [a, b] or, of one number, [a, a].
std::vector<int64_t> Each(std::vector<int64_t> values, size_t count) {
  if (values.size() == 1) values.resize(count, values[0]);
  return values;
}

std::vector<int64_t> Twice(const std::vector<int64_t>& pads) {
  std::vector<int64_t> both = pads;
  both.insert(both.end(), pads.begin(), pads.end());
  return both;
}

// The size of a window's result: floor((size + pads - reach) / stride) + 1.
Number WindowSize(const Number& size, int64_t pads, int64_t reach, int64_t stride) {
  return FloorDiv(size + Number(pads - reach), Number(stride)) + kOne;
}

// The size of each kernel dimension, which a weight [O, I, ...] ends with.
std::vector<int64_t> KernelOf(AtenCall& op, const TensorPtr& weight) {
  std::vector<int64_t> kernel;
  const Shape shape = op.ShapeOf(weight);
  for (size_t i = 2; i < shape.size(); ++i) {
    op.FailUnless(shape[i].AsInt().has_value(), "whose kernel has no known size");
    kernel.push_back(shape[i].AsInt().value_or(1));
  }
  return kernel;
}

// conv1d, conv2d: x, weight, bias, stride, padding, dilation, groups.
Value Conv(AtenCall& op) {
  const TensorPtr x = op.In(0), weight = op.In(1);
  const std::vector<int64_t> kernel = KernelOf(op, weight);
  const std::vector<int64_t> strides = Each(op.Ints(3), kernel.size()), pads = Each(op.Ints(4), kernel.size());
  const std::vector<int64_t> dilations = Each(op.Ints(5), kernel.size());
  Shape shape = op.ShapeOf(x);
  op.FailUnless(shape.size() == kernel.size() + 2, "of a tensor without a batch");
  if (!op.status().ok()) return x;
  shape[1] = op.ShapeOf(weight)[0];
  for (size_t i = 0; i < kernel.size(); ++i) {
    shape[i + 2] = WindowSize(shape[i + 2], 2 * pads[i], dilations[i] * (kernel[i] - 1) + 1, strides[i]);
  }
  std::vector<TensorPtr> inputs = {x, weight};
  if (!op.IsNone(2)) inputs.push_back(op.In(2));
  return op.Make("Conv", inputs, x->type, shape,
                 {Attribute("kernel_shape", kernel), Attribute("strides", strides), Attribute("pads", Twice(pads)),
                  Attribute("dilations", dilations), Attribute("group", op.Int(6))});
}

// x, weight, bias, stride, padding, output_padding, groups, dilation.
Value ConvTranspose(AtenCall& op) {
  const TensorPtr x = op.In(0), weight = op.In(1);
  const std::vector<int64_t> kernel = KernelOf(op, weight);
  const std::vector<int64_t> strides = Each(op.Ints(3), kernel.size()), pads = Each(op.Ints(4), kernel.size());
  const std::vector<int64_t> ends = Each(op.Ints(5), kernel.size()), dilations = Each(op.Ints(7), kernel.size());
  const int64_t groups = op.Int(6);
  Shape shape = op.ShapeOf(x);
  op.FailUnless(shape.size() == kernel.size() + 2, "of a tensor without a batch");
  if (!op.status().ok()) return x;
  shape[1] = op.ShapeOf(weight)[1] * Number(groups);
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t reach = dilations[i] * (kernel[i] - 1) + 1;
    shape[i + 2] = (shape[i + 2] - kOne) * Number(strides[i]) + Number(reach + ends[i] - 2 * pads[i]);
  }
  std::vector<TensorPtr> inputs = {x, weight};
  if (!op.IsNone(2)) inputs.push_back(op.In(2));
  return op.Make("ConvTranspose", inputs, x->type, shape,
                 {Attribute("kernel_shape", kernel), Attribute("strides", strides), Attribute("pads", Twice(pads)),
                  Attribute("output_padding", ends), Attribute("dilations", dilations), Attribute("group", groups)});
}

// x, kernel, stride, padding, then dilation (max) or ceil_mode.
Value Pool(AtenCall& op, absl::string_view operation, const std::vector<int64_t>& dilations, size_t ceil_mode,
           const Attributes& more) {
  const TensorPtr x = op.In(0);
  const std::vector<int64_t> kernel = Each(op.Ints(1), 2);
  std::vector<int64_t> strides = Each(op.Ints(2), 2);
  if (strides.empty()) strides = kernel;
  const std::vector<int64_t> pads = Each(op.Ints(3), 2);
  op.FailUnless(!op.Bool(ceil_mode), "rounds sizes up");
  Shape shape = op.ShapeOf(x);
  op.FailUnless(shape.size() == 4, "of a tensor without a batch");
  if (!op.status().ok()) return x;
  for (size_t i = 0; i < 2; ++i) {
    shape[i + 2] = WindowSize(shape[i + 2], 2 * pads[i], dilations[i] * (kernel[i] - 1) + 1, strides[i]);
  }
  Attributes attributes = {Attribute("kernel_shape", kernel), Attribute("strides", strides),
                           Attribute("pads", Twice(pads))};
  attributes.insert(attributes.end(), more.begin(), more.end());
  return op.Make(operation, {x}, x->type, shape, attributes);
}

Value MaxPool(AtenCall& op) {
  const std::vector<int64_t> dilations = Each(op.Ints(4), 2);
  return Pool(op, "MaxPool", dilations, 5, {Attribute("dilations", dilations)});
}

Value AvgPool(AtenCall& op) {
  op.FailUnless(op.IsNone(6), "has a divisor");
  return Pool(op, "AveragePool", {1, 1}, 4, {Attribute("count_include_pad", static_cast<int64_t>(op.Bool(5)))});
}

Value AdaptiveAvgPool(AtenCall& op) {
  const TensorPtr x = op.In(0);
  for (const int64_t size : op.Ints(1)) op.FailUnless(size == 1, "to other sizes than 1");
  Shape shape = op.ShapeOf(x);
  op.FailUnless(shape.size() == 4, "of a tensor without a batch");
  if (!op.status().ok()) return x;
  shape[2] = shape[3] = kOne;
  return op.Make("GlobalAveragePool", {x}, x->type, shape);
}

// x, shape, weight, bias, eps.
Value LayerNorm(AtenCall& op) {
  const TensorPtr x = op.In(0);
  const std::vector<int64_t> sizes = op.Ints(1);
  // It computes in float32, whatever the type of x: its attribute stash_type is 1.
  std::vector<TensorPtr> inputs = {x, op.IsNone(2) ? op.ConstantOf(at::ones(sizes, x->type)) : op.In(2)};
  if (!op.IsNone(3)) inputs.push_back(op.In(3));
  return op.Make("LayerNormalization", inputs, x->type, op.ShapeOf(x),
                 {Attribute("axis", -static_cast<int64_t>(sizes.size())), Attribute("epsilon", op.Float(4))});
}

// x, weight, bias, mean, var, training, momentum, eps.
Value BatchNorm(AtenCall& op) {
  const TensorPtr x = op.In(0), mean = op.In(3);
  op.FailUnless(!op.Bool(5), "of a module that is trained");
  const auto vector = [&](size_t i, double value) {
    return op.IsNone(i) ? op.ConstantOf(at::full(mean->constant.sizes(), value, mean->type)) : op.In(i);
  };
  op.FailUnless(mean->constant.defined(), "whose mean is no weight");
  if (!op.status().ok()) return x;
  return op.Make("BatchNormalization", {x, vector(1, 1), vector(2, 0), mean, op.In(4)}, x->type, op.ShapeOf(x),
                 {Attribute("epsilon", op.Float(7))});
}

// x, groups, weight, bias, eps: an instance norm of the groups, then the weights.
Value GroupNorm(AtenCall& op) {
  const TensorPtr x = op.In(0);
  const int64_t groups = op.Int(1);
  const Shape shape = op.ShapeOf(x);
  op.FailUnless(shape.size() >= 2 && shape[1].AsInt().has_value(), "of channels of no known number");
  if (!op.status().ok()) return x;
  const Number size = FloorDiv(Elements(Shape(shape.begin() + 1, shape.end())), Number(groups));
  const TensorPtr grouped = op.Reshape(op.Wide(x), {shape[0], Number(groups), size});
  const TensorPtr ones = op.ConstantOf(at::ones({groups})), zeros = op.ConstantOf(at::zeros({groups}));
  const TensorPtr normed = op.Make("InstanceNormalization", {grouped, ones, zeros}, grouped->type, op.ShapeOf(grouped),
                                   {Attribute("epsilon", op.Float(4))});
  TensorPtr result = op.Cast(op.Reshape(normed, shape), x->type);
  Shape channels(shape.size() - 1, kOne);
  channels[0] = shape[1];
  if (!op.IsNone(2)) result = op.Binary("Mul", result, op.Reshape(op.In(2), channels));
  if (!op.IsNone(3)) result = op.Binary("Add", result, op.Reshape(op.In(3), channels));
  return result;
}

TensorPtr SoftmaxOf(AtenCall& op, const TensorPtr& x, int64_t axis) {
  return op.Cast(op.Unary("Softmax", op.Wide(x), {Attribute("axis", axis)}), x->type);
}

Value Softmax(AtenCall& op) {
  const TensorPtr x = op.IsNone(2) ? op.In(0) : op.Cast(op.In(0), static_cast<at::ScalarType>(op.Int(2)));
  return SoftmaxOf(op, x, op.Axis(1, x->shape.size()));
}

// The dimensions of a reduction, and what is left of a shape.
struct Reduction {
  std::vector<int64_t> axes = {};
  bool keeps = false;
  Shape shape = {};
};

Reduction Reduced(AtenCall& op, const TensorPtr& x, std::vector<int64_t> axes, bool keeps) {
  Reduction result{.keeps = keeps};
  const Shape shape = op.ShapeOf(x);
  for (int64_t& axis : axes) axis += axis < 0 ? static_cast<int64_t>(shape.size()) : 0;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
    const bool is_reduced = axes.empty() || std::count(axes.begin(), axes.end(), i) > 0;
    if (is_reduced) result.axes.push_back(i);
    if (!is_reduced || keeps) result.shape.push_back(is_reduced ? kOne : shape[i]);
  }
  return result;
}

TensorPtr Reduce(AtenCall& op, absl::string_view operation, const TensorPtr& x, const std::vector<int64_t>& axes,
                 bool keeps) {
  const Reduction reduction = Reduced(op, x, axes, keeps);
  const auto keep = Attribute("keepdims", static_cast<int64_t>(keeps));
  // Below opset 18 ReduceSum alone takes its axes as an input.
  if (operation == "ReduceSum" || op.opset() >= 18) {
    return op.MakeOf(operation, {op.Name(x), op.Constant(reduction.axes)}, x->type, reduction.shape, {keep});
  }
  return op.Make(operation, {x}, x->type, reduction.shape, {Attribute("axes", reduction.axes), keep});
}

std::vector<int64_t> AxesOrAll(AtenCall& op, size_t i) { return op.IsNone(i) ? std::vector<int64_t>() : op.Ints(i); }

// x, axes, keepdim, dtype; or x, dtype: of all elements.
Value ReducedAs(AtenCall& op, absl::string_view operation) {
  TensorPtr x = op.In(0);
  const size_t dtype = op.size() - 1;
  if (!op.IsNone(dtype)) x = op.Cast(x, static_cast<at::ScalarType>(op.Int(dtype)));
  if (op.IsNone(dtype) && !c10::isFloatingType(x->type)) x = op.Cast(x, at::kLong);
  const bool of_all = op.size() == 2;
  const TensorPtr reduced =
      Reduce(op, operation, op.Wide(x), of_all ? std::vector<int64_t>() : AxesOrAll(op, 1), !of_all && op.Bool(2));
  return op.Cast(reduced, x->type);
}

Value Mean(AtenCall& op) { return ReducedAs(op, "ReduceMean"); }
Value Sum(AtenCall& op) { return ReducedAs(op, "ReduceSum"); }

// x, axes, unbiased or correction, keepdim
Value Var(AtenCall& op) {
  const TensorPtr x = op.Wide(op.In(0));
  op.FailUnless(op.size() == 4, "of all elements");
  if (!op.status().ok()) return x;
  const std::vector<int64_t> axes = AxesOrAll(op, 1);
  const Number correction = op.Num(2);
  const int64_t less = correction.AsBool() ? (*correction.AsBool() ? 1 : 0) : op.Int(2);
  Number count = kOne;
  const Shape shape = op.ShapeOf(x);
  for (const int64_t axis : Reduced(op, x, axes, true).axes) count = count * shape[axis];
  const TensorPtr centred = op.Binary("Sub", x, Reduce(op, "ReduceMean", x, axes, true));
  const TensorPtr sum = Reduce(op, "ReduceSum", op.Binary("Mul", centred, centred), axes, op.Bool(3));
  const TensorPtr divisor = op.NumberAs(count - Number(less), x->type);
  const TensorPtr of_rank = sum->shape.empty() ? op.Reshape(divisor, {}) : divisor;
  return op.Cast(op.Binary("Div", sum, of_rank), op.In(0)->type);
}

Value Amax(AtenCall& op) { return Reduce(op, "ReduceMax", op.In(0), AxesOrAll(op, 1), op.Bool(2)); }
Value Amin(AtenCall& op) { return Reduce(op, "ReduceMin", op.In(0), AxesOrAll(op, 1), op.Bool(2)); }

// max and min of two tensors, of all elements, or of a dimension: values and places.
Value Extreme(AtenCall& op, absl::string_view of_two, absl::string_view values, absl::string_view places) {
  const TensorPtr x = op.In(0);
  if (op.size() == 1) return Reduce(op, values, x, {}, false);
  if (op.size() == 2) return FindRow(of_two)->make(op);
  const int64_t axis = op.Axis(1, x->shape.size());
  const TensorPtr extremes = Reduce(op, values, x, {axis}, op.Bool(2));
  const Reduction reduction = Reduced(op, x, {axis}, op.Bool(2));
  return op.List(
      {extremes, op.Make(places, {x}, at::kLong, reduction.shape,
                         {Attribute("axis", axis), Attribute("keepdims", static_cast<int64_t>(op.Bool(2)))})});
}

Value Max(AtenCall& op) { return Extreme(op, "aten::maximum", "ReduceMax", "ArgMax"); }
Value Min(AtenCall& op) { return Extreme(op, "aten::minimum", "ReduceMin", "ArgMin"); }

Value Place(AtenCall& op, absl::string_view operation) {
  const TensorPtr x = op.In(0);
  op.FailUnless(!op.IsNone(1), "of all elements");
  if (!op.status().ok()) return x;
  const int64_t axis = op.Axis(1, x->shape.size());
  const Reduction reduction = Reduced(op, x, {axis}, op.Bool(2));
  return op.Make(operation, {x}, at::kLong, reduction.shape,
                 {Attribute("axis", axis), Attribute("keepdims", static_cast<int64_t>(op.Bool(2)))});
}

Value Argmax(AtenCall& op) { return Place(op, "ArgMax"); }
Value Argmin(AtenCall& op) { return Place(op, "ArgMin"); }

// x, whether it is stable if that is given, dimension, whether the largest comes first: values and places. TopK puts
// the first of equal values first.
Value Sort(AtenCall& op) {
  const TensorPtr x = op.In(0);
  const Shape shape = op.ShapeOf(x);
  const int64_t axis = op.Axis(op.size() - 2, shape.size());
  op.FailUnless(x->type != at::kBool, "of bools");
  op.FailUnless(!shape.empty(), "of a single number");
  if (!op.status().ok()) return x;
  const std::vector<TensorPtr> sorted =
      op.MakeAll("TopK", {op.Name(x), op.Name(shape[axis])}, {{x->type, shape}, {at::kLong, shape}},
                 {Attribute("axis", axis), Attribute("largest", static_cast<int64_t>(op.Bool(op.size() - 1)))});
  return op.List(sorted);
}

// x, or x, dimension, keepdim
Value AnyOf(AtenCall& op) {
  const bool of_all = op.size() == 1;
  const TensorPtr is_true = op.Cast(op.Cast(op.In(0), at::kBool), at::kInt);
  const std::vector<int64_t> axes = of_all ? std::vector<int64_t>() : std::vector<int64_t>{op.Int(1)};
  const at::ScalarType type = op.In(0)->type == at::kByte ? at::kByte : at::kBool;
  return op.Cast(Reduce(op, "ReduceMax", is_true, axes, !of_all && op.Bool(2)), type);
}

Value Dot(AtenCall& op) {
  const TensorPtr a = op.Wide(op.In(0)), b = op.Wide(op.In(1));
  return op.Cast(op.MatMul(a, b), op.In(0)->type);
}

// x, p, or x, p, axes, keepdim
Value Norm(AtenCall& op) {
  op.FailUnless(op.size() == 2 || op.size() == 4, "with a dtype of its own");
  op.FailUnless(op.IsNone(1) || ToFloat(op.Num(1)).AsFloat() == 2.0, "other than that of squares");
  return op.Cast(Reduce(op, "ReduceL2", op.Wide(op.In(0)), AxesOrAll(op, 2), op.Bool(3)), op.In(0)->type);
}

// q, k, v, mask, dropout, is_causal, scale, enable_gqa
Value Attention(AtenCall& op) {
  const TensorPtr q = op.In(0);
  op.FailUnless(op.Float(4) == 0 && !op.Bool(5), "with dropout or a causal mask");
  op.FailUnless(op.size() < 8 || !op.Bool(7), "whose heads share keys");
  op.FailUnless(op.IsNone(3) || c10::isFloatingType(op.In(3)->type), "with a mask of bools");
  const Shape shape = op.ShapeOf(q);
  op.FailUnless(!shape.empty() && shape.back().AsInt().has_value(), "of channels of no known number");
  if (!op.status().ok()) return q;
  const double scale = op.IsNone(6) ? 1 / std::sqrt(static_cast<double>(*shape.back().AsInt())) : op.Float(6);
  TensorPtr weights = op.MatMul(op.Binary("Mul", q, scale), SwapLast(op, op.In(1)));
  if (op.IsNone(3)) return op.MatMul(SoftmaxOf(op, weights, -1), op.In(2));
  const TensorPtr mask = op.In(3);
  weights = SoftmaxOf(op, op.Binary("Add", weights, mask), -1);
  // Where all of a row is masked, softmax gives NaN, and ATen takes 0.
  const TensorPtr never = op.ConstantOf(at::scalar_tensor(-std::numeric_limits<double>::infinity(), mask->type));
  const TensorPtr is_masked = op.Make("Equal", {mask, never}, at::kBool, op.ShapeOf(mask));
  const TensorPtr zero = op.ConstantOf(at::scalar_tensor(0, weights->type));
  weights = op.Make("Where", {is_masked, zero, weights}, weights->type, op.ShapeOf(weights));
  return op.MatMul(weights, op.In(2));
}

// `x` of the type of `like`, resized by the weights [results, samples] of both dimensions.
TensorPtr Weighted(AtenCall& op, const TensorPtr& x, const std::array<TensorPtr, 2>& weights, const TensorPtr& like) {
  const TensorPtr rows = op.MatMul(weights[0], x);
  return op.Cast(op.MatMul(rows, op.Transpose(weights[1], {1, 0})), like->type);
}

// Of images of other sizes, linear and nearest ones are ONNX's Resize. Bicubic and antialiased ones are two products
// with weights that are computed from the sizes, since not all runtimes have these modes, and none has ATen's borders.

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
Value LinearResize(AtenCall& op) {
  const Shape old = op.ShapeOf(op.In(0)), shape = SizedAs(old, op.Numbers(1));
  const bool aligns = op.Bool(2);
  if (!aligns) CheckScales(op, shape, old, 3);
  return Resize(op, shape,
                {Attribute("mode", "linear"),
                 Attribute("coordinate_transformation_mode", aligns ? "align_corners" : "half_pixel")});
}

// x, size, scales
Value NearestResize(AtenCall& op) {
  const Shape old = op.ShapeOf(op.In(0)), shape = SizedAs(old, op.Numbers(1));
  CheckScales(op, shape, old, 2);
  constexpr int64_t kSureFactor = 32;
  bool is_sure = true;
  for (size_t i = 2; i < shape.size(); ++i)
    is_sure = is_sure && Multiple(shape[i], old[i]).value_or(kSureFactor + 1) <= kSureFactor;
  if (is_sure) {
    return Resize(op, shape,
                  {Attribute("mode", "nearest"), Attribute("coordinate_transformation_mode", "asymmetric"),
                   Attribute("nearest_mode", "floor")});
  }
  // ATen multiplies a place by the float32 that samples a pixel are, and Resize divides it by its inverse, which by
  // other factors is another pixel at some places.
  TensorPtr resized = op.In(0);
  for (size_t i = 2; i < shape.size(); ++i) {
    if (shape[i] == old[i]) continue;
    const TensorPtr ratio = op.NumberAs(TrueDiv(old[i], shape[i]), at::kFloat);
    const TensorPtr samples = op.Unary("Floor", op.Binary("Mul", op.Range(shape[i], at::kFloat), ratio));
    const TensorPtr places = op.Binary("Min", op.Cast(samples, at::kLong), op.NumberAs(old[i] - kOne, at::kLong));
    Shape now = op.ShapeOf(resized);
    now[i] = shape[i];
    resized = op.Make("Gather", {resized, places}, resized->type, now, {Attribute("axis", static_cast<int64_t>(i))});
  }
  return resized;
}

// The weights that Keys' filter of parameter `a` gives to samples at these distances [m, n], which are not negative:
// with p = max(2 - d, 0) and q = max(1 - d, 0) its two cubics are -a p^2 (p - 1) - 2 q^2 (q - (4 a + 3) / 2), and so is
// the 0 behind them.
TensorPtr KeysWeights(AtenCall& op, const TensorPtr& d, double a) {
  const auto both = [&](double of_p, double of_q) { return op.ConstantOf(at::tensor({of_p, of_q}).to(at::kFloat)); };
  const Shape shape = op.ShapeOf(d);
  const TensorPtr apart = op.Reshape(d, {shape[0], shape[1], kOne});
  const TensorPtr pq = op.Unary("Relu", op.Binary("Sub", both(2, 1), apart));
  const TensorPtr cubes = op.Binary("Mul", op.Binary("Mul", pq, pq), op.Binary("Add", pq, both(-1, -(4 * a + 3) / 2)));
  const TensorPtr parts = op.Binary("Mul", cubes, both(-a, -2));
  return op.MakeOf("ReduceSum", {op.Name(parts), op.Constant({2})}, at::kFloat, shape,
                   {Attribute("keepdims", int64_t{0})});
}

// What a tent gives: 1 - d, at least 0.
TensorPtr TentWeights(AtenCall& op, const TensorPtr& d) {
  const TensorPtr one = op.ConstantOf(at::scalar_tensor(1, at::kFloat));
  return op.Unary("Relu", op.Make("Sub", {one, d}, at::kFloat, op.ShapeOf(d)));
}

// The middles of pixels whose places are integers, as floats.
TensorPtr Middles(AtenCall& op, const TensorPtr& places) {
  if (places->constant.defined()) return op.ConstantOf(places->constant.to(at::kFloat).add(0.5));
  return op.Binary("Add", op.Cast(places, at::kFloat), 0.5);
}

TensorPtr Column(AtenCall& op, const TensorPtr& vector) { return op.Reshape(vector, {op.ShapeOf(vector)[0], kOne}); }

// A filter by which images are resized.
struct Filter {
  // The weights of samples at these distances [m, n], which are not negative.
  TensorPtr (*weights)(AtenCall& op, const TensorPtr& distances);

  // It is widened where it shrinks, weights beyond the borders are left out, and the others scaled to the sum 1. Else
  // samples beyond the borders are those of the borders.
  bool is_antialiased;

  // What ATen does with sizes and scales that are known.
  at::Tensor (*aten)(const at::Tensor& x, at::IntArrayRef size, std::optional<double> scale);
};

// A dimension of a resize.
struct Resized {
  Number samples, results;
  absl::optional<Number> scale;  // That the code states.
};

// The weights [results, samples] of a dimension of which all is known; null for others.
TensorPtr KnownWeights(AtenCall& op, const Filter& filter, const Resized& dimension) {
  const auto samples = dimension.samples.AsInt(), results = dimension.results.AsInt();
  std::optional<double> scale;
  if (dimension.scale) {
    const auto known = dimension.scale->AsFloat();
    if (!known) return nullptr;
    scale = *known;
  }
  if (!samples || !results) return nullptr;
  // Column c of the result is that of an image whose only 1 is in row c.
  const at::Tensor ones = at::eye(*samples).view({1, 1, *samples, *samples});
  return op.ConstantOf(filter.aten(ones, {*results, *samples}, scale)[0][0].contiguous());
}

// How many samples of the border are repeated, at each side.
constexpr int64_t kBorder = 2;

// `x` with the borders of these dimensions repeated.
TensorPtr RepeatBorders(AtenCall& op, const TensorPtr& x, const std::array<bool, 2>& dimensions) {
  Shape shape = op.ShapeOf(x);
  std::vector<int64_t> widths(2 * shape.size(), 0);
  for (size_t i = 0; i < 2; ++i) {
    if (!dimensions[i]) continue;
    widths[2 + i] = widths[6 + i] = kBorder;
    shape[2 + i] = shape[2 + i] + Number(2 * kBorder);
  }
  return op.MakeOf("Pad", {op.Name(x), op.Constant(widths)}, x->type, shape, {Attribute("mode", "edge")});
}

// Adds the weights [m, n + 2 kBorder] of repeated borders to those of the borders: [m, n].
TensorPtr JoinBorders(AtenCall& op, const TensorPtr& weights, int64_t n) {
  const at::Tensor whose = at::replication_pad1d(at::eye(n).unsqueeze(0), {kBorder, kBorder})[0].t().contiguous();
  return op.MatMul(weights, op.ConstantOf(whose));
}

// The weights [results, samples] of dimensions that have equally many samples, computed at once. All of them state a
// scale, or none does. Where the number of samples is not known, repeated borders count as samples.
std::vector<TensorPtr> OpenWeights(AtenCall& op, const Filter& filter, const std::vector<Resized>& dimensions) {
  const bool is_one = dimensions.size() == 1, states_scale = dimensions[0].scale.has_value();
  const Number& samples = dimensions[0].samples;
  std::vector<TensorPtr> places, steps;
  for (const Resized& one : dimensions) {
    places.push_back(op.Range(one.results, at::kLong));
    const TensorPtr step =
        states_scale ? op.NumberAs(TrueDiv(Number(1.0), *one.scale), at::kFloat) : op.NumberAs(one.results, at::kLong);
    steps.push_back(is_one ? step : op.Expand(step, {one.results}));
  }
  // How far apart results are, in samples: [1], or of each result.
  TensorPtr step = op.Concat(steps, 0);
  if (!states_scale) {
    step = op.Make("Div", {op.NumberAs(samples, at::kFloat), op.Cast(step, at::kFloat)}, at::kFloat, op.ShapeOf(step));
  }
  TensorPtr middles = Column(op, op.Binary("Mul", Middles(op, op.Concat(places, 0)), step));
  if (states_scale && !filter.is_antialiased) {
    // A stated scale may lead beyond the repeated borders, where every result is the border's sample.
    middles = op.Binary("Min", middles, Middles(op, op.NumberAs(samples, at::kLong)));
    middles = op.Binary("Max", middles, -0.5);
  }
  const int64_t border = filter.is_antialiased ? 0 : kBorder;
  const TensorPtr pixels = Middles(op, op.Range(samples + Number(2 * border), at::kLong, -border));
  TensorPtr distances = op.Unary("Abs", op.Binary("Sub", middles, pixels));
  if (filter.is_antialiased) {
    const TensorPtr width = op.Binary("Max", step, 1);
    distances = op.Binary("Div", distances, is_one ? width : Column(op, width));
  }
  TensorPtr weights = filter.weights(op, distances);
  if (border > 0 && samples.AsInt()) weights = JoinBorders(op, weights, *samples.AsInt());
  if (filter.is_antialiased) {
    const Shape shape = {op.ShapeOf(weights)[0], kOne};
    weights =
        op.Binary("Div", weights, op.MakeOf("ReduceSum", {op.Name(weights), op.Constant({1})}, at::kFloat, shape));
  }
  if (is_one) return {weights};
  std::vector<TensorPtr> parts;
  Number start(int64_t{0});
  for (const Resized& one : dimensions) {
    parts.push_back(op.Slice(weights, 0, start, start + one.results));
    start = start + one.results;
  }
  return parts;
}

// x, size, align_corners, scales
Value ResizeBy(AtenCall& op, const Filter& filter) {
  TensorPtr x = op.Wide(op.In(0));
  op.FailUnless(!op.Bool(2), "with aligned corners");
  const Shape old = op.ShapeOf(x), sizes = op.Numbers(1);
  op.FailUnless(old.size() == 4 && sizes.size() == 2, "of other than four dimensions");
  if (!op.status().ok()) return x;
  std::array<TensorPtr, 2> weights;
  std::vector<Resized> dimensions;
  std::vector<size_t> open;
  for (size_t i = 0; i < 2; ++i) {
    dimensions.push_back({old[2 + i], sizes[i], ScaleOf(op, 3 + i)});
    weights[i] = KnownWeights(op, filter, dimensions[i]);
    if (weights[i] == nullptr) open.push_back(i);
  }
  const std::array<bool, 2> repeated = {!old[2].AsInt(), !old[3].AsInt()};
  if (!filter.is_antialiased && (repeated[0] || repeated[1])) x = RepeatBorders(op, x, repeated);
  const Resized &rows = dimensions[0], &columns = dimensions[1];
  if (open.size() == 2 && rows.samples == columns.samples && rows.scale.has_value() == columns.scale.has_value()) {
    const std::vector<TensorPtr> both = OpenWeights(op, filter, dimensions);
    weights = {both[0], both[1]};
  } else {
    for (const size_t i : open) weights[i] = OpenWeights(op, filter, {dimensions[i]})[0];
  }
  return Weighted(op, x, weights, op.In(0));
}

constexpr Filter kBicubic = {[](AtenCall& op, const TensorPtr& distances) { return KeysWeights(op, distances, -0.75); },
                             false,
                             [](const at::Tensor& x, at::IntArrayRef size, std::optional<double> scale) {
                               return at::upsample_bicubic2d(x, size, false, scale, std::nullopt);
                             }};
constexpr Filter kBicubicAntialiased = {
    [](AtenCall& op, const TensorPtr& distances) { return KeysWeights(op, distances, -0.5); }, true,
    [](const at::Tensor& x, at::IntArrayRef size, std::optional<double> scale) {
      return at::_upsample_bicubic2d_aa(x, size, false, scale, std::nullopt);
    }};
constexpr Filter kLinearAntialiased = {TentWeights, true,
                                       [](const at::Tensor& x, at::IntArrayRef size, std::optional<double> scale) {
                                         return at::_upsample_bilinear2d_aa(x, size, false, scale, std::nullopt);
                                       }};

Value Bicubic(AtenCall& op) { return ResizeBy(op, kBicubic); }
Value BicubicAntialiased(AtenCall& op) { return ResizeBy(op, kBicubicAntialiased); }
Value LinearAntialiased(AtenCall& op) { return ResizeBy(op, kLinearAntialiased); }

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
    {"aten::linear", Linear},
    {"aten::matmul", Matmul},
    {"aten::bmm", Matmul},
    {"aten::mm", Matmul},
    {"aten::addmm", Addmm},
    {"aten::einsum", Einsum},
    {"aten::conv1d", Conv},
    {"aten::conv2d", Conv},
    {"aten::conv_transpose2d", ConvTranspose},
    {"aten::max_pool2d", MaxPool},
    {"aten::avg_pool2d", AvgPool},
    {"aten::adaptive_avg_pool2d", AdaptiveAvgPool},
    {"aten::layer_norm", LayerNorm},
    {"aten::batch_norm", BatchNorm},
    {"aten::group_norm", GroupNorm},
    {"aten::softmax", Softmax},
    {"aten::mean", Mean},
    {"aten::sum", Sum},
    {"aten::var", Var},
    {"aten::amax", Amax},
    {"aten::amin", Amin},
    {"aten::max", Max},
    {"aten::min", Min},
    {"aten::argmax", Argmax},
    {"aten::sort", Sort},
    {"aten::any", AnyOf},
    {"aten::dot", Dot},
    {"aten::argmin", Argmin},
    {"aten::norm", Norm},
    {"aten::scaled_dot_product_attention", Attention},
    {"aten::grid_sampler", GridSample},
    {"aten::upsample_linear1d", LinearResize},
    {"aten::upsample_bilinear2d", LinearResize},
    {"aten::upsample_nearest2d", NearestResize},
    {"aten::upsample_bicubic2d", Bicubic},
    {"aten::_upsample_bicubic2d_aa", BicubicAntialiased},
    {"aten::_upsample_bilinear2d_aa", LinearAntialiased},
};

}  // namespace

absl::Span<const Row> LayerRows() { return kRows; }

}  // namespace modelport::onnx
