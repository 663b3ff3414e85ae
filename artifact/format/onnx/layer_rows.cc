// Layers of networks: products, convolutions, norms, reductions, attention, and images of other sizes.

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/replication_pad2d.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>

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
      sizes[letter] = op.ShapeOf(tensors[tensor])[axis++];
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
  return op.Cast(op.Binary("Div", sum, op.NumberAs(count - Number(less), x->type)), op.In(0)->type);
}

Value Amax(AtenCall& op) { return Reduce(op, "ReduceMax", op.In(0), AxesOrAll(op, 1), op.Bool(2)); }
Value Amin(AtenCall& op) { return Reduce(op, "ReduceMin", op.In(0), AxesOrAll(op, 1), op.Bool(2)); }

// max and min of two tensors, of all elements, or of a dimension: values and places.
Value Extreme(AtenCall& op, absl::string_view of_two, absl::string_view values, absl::string_view places) {
  const TensorPtr x = op.In(0);
  if (op.size() == 1) return Reduce(op, values, x, {}, false);
  if (op.size() == 2) {
    const TensorPtr other = op.In(1);
    const at::ScalarType type = c10::promoteTypes(x->type, other->type);
    const TensorPtr a = op.Cast(x, type), b = op.Cast(other, type);
    return op.Binary(of_two, a, b);
  }
  const int64_t axis = op.Axis(1, x->shape.size());
  const TensorPtr extremes = Reduce(op, values, x, {axis}, op.Bool(2));
  const Reduction reduction = Reduced(op, x, {axis}, op.Bool(2));
  return op.List(
      {extremes, op.Make(places, {x}, at::kLong, reduction.shape,
                         {Attribute("axis", axis), Attribute("keepdims", static_cast<int64_t>(op.Bool(2)))})});
}

Value Max(AtenCall& op) { return Extreme(op, "Max", "ReduceMax", "ArgMax"); }
Value Min(AtenCall& op) { return Extreme(op, "Min", "ReduceMin", "ArgMin"); }

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
  return op.Cast(Reduce(op, "ReduceMax", is_true, axes, !of_all && op.Bool(2)), at::kBool);
}

Value Dot(AtenCall& op) {
  const TensorPtr a = op.Wide(op.In(0)), b = op.Wide(op.In(1));
  return op.Cast(op.MatMul(a, b), op.In(0)->type);
}

// x, p, axes, keepdim
Value Norm(AtenCall& op) {
  op.FailUnless(op.IsNone(1) || ToFloat(op.Num(1)).AsFloat() == 2.0, "other than that of squares");
  return op.Cast(Reduce(op, "ReduceL2", op.Wide(op.In(0)), AxesOrAll(op, 2), op.Bool(3)), op.In(0)->type);
}

// q, k, v, mask, dropout, is_causal, scale, enable_gqa
Value Attention(AtenCall& op) {
  const TensorPtr q = op.In(0);
  op.FailUnless(op.Float(4) == 0 && !op.Bool(5), "with dropout or a causal mask");
  const Shape shape = op.ShapeOf(q);
  op.FailUnless(!shape.empty() && shape.back().AsInt().has_value(), "of channels of no known number");
  if (!op.status().ok()) return q;
  const double scale = op.IsNone(6) ? 1 / std::sqrt(static_cast<double>(*shape.back().AsInt())) : op.Float(6);
  TensorPtr weights = op.MatMul(op.Binary("Mul", q, scale), SwapLast(op, op.In(1)));
  if (!op.IsNone(3)) weights = op.Binary("Add", weights, op.In(3));
  return op.MatMul(SoftmaxOf(op, weights, -1), op.In(2));
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
    const TensorPtr places = op.Range(padded_shape[2 + i], at::kFloat, -2);
    return KeysWeights(op, Distances(op, centres, places), -0.75);
  };
  return Weighted(op, padded, {weights(0), weights(1)}, op.In(0));
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
    const TensorPtr centres = Centres(op, sizes[i], step);
    const TensorPtr distances = Distances(op, centres, op.Range(old[2 + i], at::kFloat));
    const TensorPtr raw = filter(op, op.Binary("Div", distances, width));
    const TensorPtr sum = op.MakeOf("ReduceSum", {op.Name(raw), op.Constant({1})}, at::kFloat, {sizes[i], kOne});
    return op.Binary("Div", raw, sum);
  };
  return Weighted(op, x, {weights(0), weights(1)}, op.In(0));
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
