// Layers of networks: products, convolutions, norms, reductions, attention.

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
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
  if (x->type == at::kBool) x = op.Cast(x, at::kLong);
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
    return op.Binary(of_two, op.Cast(x, type), op.Cast(other, type));
  }
  const int64_t axis = op.Axis(1, x->shape.size());
  auto tuple = std::make_shared<ValueList>();
  tuple->items.emplace_back(Reduce(op, values, x, {axis}, op.Bool(2)));
  const Reduction reduction = Reduced(op, x, {axis}, op.Bool(2));
  tuple->items.emplace_back(
      op.Make(places, {x}, at::kLong, reduction.shape,
              {Attribute("axis", axis), Attribute("keepdims", static_cast<int64_t>(op.Bool(2)))}));
  tuple->depth = op.depth();
  return tuple;
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
    {"aten::argmin", Argmin},
    {"aten::norm", Norm},
    {"aten::scaled_dot_product_attention", Attention},
};

}  // namespace

absl::Span<const Row> LayerRows() { return kRows; }

}  // namespace modelport::onnx
