// Operators that move elements: views, joins, gathers, fills.

#include <ATen/ops/arange.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "artifact/format/onnx/aten_call.h"

namespace modelport::onnx {
namespace {

const Number kZero(int64_t{0}), kOne(int64_t{1});

std::vector<int64_t> Order(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// A place in a dimension: a negative one counts from its end, and all are kept within it.
Number Place(AtenCall& op, const Number& place, const Number& size) {
  const absl::optional<int64_t> known = place.AsInt();
  if (known && *known == std::numeric_limits<int64_t>::max()) return size;
  if (!known) {
    op.FailUnless(LowerBound(place).value_or(-1) >= 0,
                  absl::StrCat("the place ", place.text(), " may be negative and count from the end"));
    return Min(place, size);
  }
  const Number wanted = *known < 0 ? size + place : place;
  // A place before the end of every size that the model takes needs no Min.
  return Min(Max(wanted, kZero), size);
}

Value Reshape(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  Shape shape = op.Numbers(1);
  const Number all = Elements(op.ShapeOf(tensor));
  Number known = kOne;
  for (const Number& size : shape) {
    if (size.AsInt() != -1) known = known * size;
  }
  for (Number& size : shape) {
    if (size.AsInt() == -1) size = FloorDiv(all, known);
  }
  return op.Reshape(tensor, shape);
}

Value ReshapeAs(AtenCall& op) { return op.Reshape(op.In(0), op.ShapeOf(op.In(1))); }

Value Flatten(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  const Shape old = op.ShapeOf(tensor);
  if (old.empty()) return op.Reshape(tensor, {kOne});
  const int64_t first = op.Axis(1, old.size()), last = op.Axis(2, old.size());
  Shape shape(old.begin(), old.begin() + first);
  shape.push_back(Elements(Shape(old.begin() + first, old.begin() + last + 1)));
  shape.insert(shape.end(), old.begin() + last + 1, old.end());
  return op.Reshape(tensor, shape);
}

Value Unflatten(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  Shape shape = op.ShapeOf(tensor), sizes = op.Numbers(2);
  const int64_t axis = op.Axis(1, shape.size());
  Number known = kOne;
  for (const Number& size : sizes) {
    if (size.AsInt() != -1) known = known * size;
  }
  for (Number& size : sizes) {
    if (size.AsInt() == -1) size = FloorDiv(shape[axis], known);
  }
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, sizes.begin(), sizes.end());
  return op.Reshape(tensor, shape);
}

Value Permute(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  std::vector<int64_t> order = op.Ints(1);
  for (int64_t& axis : order) axis += axis < 0 ? static_cast<int64_t>(order.size()) : 0;
  return op.Transpose(tensor, order);
}

Value Transpose(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  const size_t rank = tensor->shape.size();
  std::vector<int64_t> order = Order(rank);
  std::swap(order[op.Axis(1, rank)], order[op.Axis(2, rank)]);
  return op.Transpose(tensor, order);
}

Value Transposed(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  return tensor->shape.size() < 2 ? tensor : op.Transpose(tensor, {1, 0});
}

Value Unsqueeze(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  Shape shape = op.ShapeOf(tensor);
  const int64_t axis = op.Axis(1, shape.size() + 1);
  shape.insert(shape.begin() + axis, kOne);
  return op.MakeOf("Unsqueeze", {op.Name(tensor), op.Constant({axis})}, tensor->type, shape);
}

Value Squeeze(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  Shape shape = op.ShapeOf(tensor);
  op.FailUnless(op.size() == 2, "without a dimension: which ones are 1 could depend on the input");
  if (!op.status().ok()) return tensor;
  const int64_t axis = op.Axis(1, shape.size());
  if (shape[axis].AsInt() != 1) {
    op.FailUnless(shape[axis].AsInt().has_value(), "of a size that depends on the input");
    return tensor;
  }
  shape.erase(shape.begin() + axis);
  return op.MakeOf("Squeeze", {op.Name(tensor), op.Constant({axis})}, tensor->type, shape);
}

// The element of a dimension, which then is gone.
TensorPtr Taken(AtenCall& op, const TensorPtr& tensor, int64_t axis, const Number& index) {
  Shape shape = op.ShapeOf(tensor);
  const Number place = index.AsInt() && *index.AsInt() < 0 ? shape[axis] + index : index;
  op.FailUnless(index.AsInt() || LowerBound(index).value_or(-1) >= 0,
                absl::StrCat("the place ", index.text(), " may be negative and count from the end"));
  if (LowerBound(place).value_or(-1) < 0 || LowerBound(shape[axis] - place).value_or(0) < 1) op.NoteMayFail();
  shape.erase(shape.begin() + axis);
  // A constant place may count from the end.
  const std::string name = index.AsInt() ? op.Name(op.ConstantOf(at::scalar_tensor(*index.AsInt(), at::kLong)))
                                         : op.Name(op.MakeOf("Squeeze", {op.Name(place)}, at::kLong, {}));
  const TensorPtr result = op.MakeOf("Gather", {op.Name(tensor), name}, tensor->type, shape, {Attribute("axis", axis)});
  result->part = std::make_shared<Tensor::Part>(Tensor::Part{tensor, axis, place, place + kOne, true});
  return result;
}

Value Select(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  return Taken(op, tensor, op.Axis(1, tensor->shape.size()), op.Num(2));
}

Value Slice(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  const int64_t axis = op.Axis(1, tensor->shape.size());
  const Number size = op.ShapeOf(tensor)[axis];
  const Number start = op.IsNone(2) ? kZero : Place(op, op.Num(2), size);
  const Number end = op.IsNone(3) ? size : Place(op, op.Num(3), size);
  return op.Slice(tensor, axis, start, end, op.Int(4));
}

Value Narrow(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  const int64_t axis = op.Axis(1, tensor->shape.size());
  op.FailUnless(LowerBound(op.Num(2)).value_or(-1) >= 0, "from a place that may be negative");
  return op.Slice(tensor, axis, op.Num(2), op.Num(2) + op.Num(3));
}

// Parts of these sizes, one after the other.
Value Parts(AtenCall& op, const TensorPtr& tensor, int64_t axis, const Shape& sizes) {
  std::vector<TensorPtr> parts;
  Number start = kZero;
  for (const Number& size : sizes) {
    parts.push_back(op.Slice(tensor, axis, start, start + size));
    start = start + size;
  }
  return op.List(parts);
}

Value Chunk(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  const int64_t axis = op.Axis(2, tensor->shape.size()), count = op.Int(1);
  const Number size = op.ShapeOf(tensor)[axis], rest = Mod(size, Number(count));
  op.FailUnless(rest.AsInt() == 0, "of a size that need not be a multiple of the number of parts");
  return Parts(op, tensor, axis, Shape(count, FloorDiv(size, Number(count))));
}

Value Split(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  const int64_t axis = op.Axis(2, tensor->shape.size());
  Shape sizes = op.Numbers(1);
  if (sizes.size() == 1 && std::get_if<std::shared_ptr<ValueList>>(&op.argument(1)) == nullptr) {
    const absl::optional<int64_t> whole = op.ShapeOf(tensor)[axis].AsInt(), part = sizes[0].AsInt();
    op.FailUnless(whole && part && *part > 0, "of a size that depends on the input");
    if (!op.status().ok()) return tensor;
    sizes.assign(*whole / *part, Number(*part));
    if (*whole % *part != 0) sizes.emplace_back(*whole % *part);
  }
  return Parts(op, tensor, axis, sizes);
}

Value Unbind(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  const int64_t axis = op.Axis(1, tensor->shape.size());
  const absl::optional<int64_t> size = op.ShapeOf(tensor)[axis].AsInt();
  op.FailUnless(size.has_value(), "of a size that depends on the input");
  std::vector<TensorPtr> parts;
  for (int64_t i = 0; i < size.value_or(0); ++i) parts.push_back(Taken(op, tensor, axis, Number(i)));
  return op.List(parts);
}

// The tensors of a list, in the type that has all their values.
std::vector<TensorPtr> OfOneType(AtenCall& op) {
  std::vector<TensorPtr> tensors = op.Tensors(0);
  if (tensors.empty()) op.Fail("of no tensors");
  if (!op.status().ok()) return tensors;
  at::ScalarType type = tensors[0]->type;
  for (const TensorPtr& tensor : tensors) type = c10::promoteTypes(type, tensor->type);
  for (TensorPtr& tensor : tensors) tensor = op.Cast(tensor, type);
  return tensors;
}

Value Cat(AtenCall& op) {
  const std::vector<TensorPtr> tensors = OfOneType(op);
  return op.status().ok() ? op.Concat(tensors, op.Axis(1, tensors[0]->shape.size())) : std::make_shared<Tensor>();
}

Value Stack(AtenCall& op) {
  std::vector<TensorPtr> tensors = OfOneType(op);
  if (!op.status().ok()) return std::make_shared<Tensor>();
  const int64_t axis = op.Axis(1, tensors[0]->shape.size() + 1);
  for (TensorPtr& tensor : tensors) {
    Shape shape = op.ShapeOf(tensor);
    shape.insert(shape.begin() + axis, kOne);
    tensor = op.MakeOf("Unsqueeze", {op.Name(tensor), op.Constant({axis})}, tensor->type, shape);
  }
  return op.Concat(tensors, axis);
}

Value Expand(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  const Shape old = op.ShapeOf(tensor);
  Shape shape = op.Numbers(1);
  const size_t ahead = shape.size() - old.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].AsInt() == -1) shape[i] = i < ahead ? kOne : old[i - ahead];
  }
  return op.Expand(tensor, shape);
}

Value ExpandAs(AtenCall& op) { return op.Expand(op.In(0), op.ShapeOf(op.In(1))); }

Value Repeat(AtenCall& op) {
  TensorPtr tensor = op.In(0);
  const Shape repeats = op.Numbers(1);
  Shape shape = op.ShapeOf(tensor);
  shape.insert(shape.begin(), repeats.size() - shape.size(), kOne);
  tensor = op.Reshape(tensor, shape);
  bool repeated = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    repeated = repeated || repeats[i].AsInt() != 1;
    shape[i] = shape[i] * repeats[i];
  }
  return repeated ? op.MakeOf("Tile", {op.Name(tensor), op.List(repeats)}, tensor->type, shape) : tensor;
}

Value Flip(AtenCall& op) {
  TensorPtr tensor = op.In(0);
  const Shape shape = op.ShapeOf(tensor);
  for (int64_t axis : op.Ints(1)) {
    if (axis < 0) axis += static_cast<int64_t>(shape.size());
    tensor = op.MakeOf("Slice",
                       {op.Name(tensor), op.Constant({-1}), op.Constant({std::numeric_limits<int64_t>::min()}),
                        op.Constant({axis}), op.Constant({-1})},
                       tensor->type, shape);
  }
  return tensor;
}

// Pads of the last dimensions, the last first, two each: before and after.
TensorPtr Padded(AtenCall& op, absl::string_view mode, const TensorPtr& value) {
  const TensorPtr tensor = op.In(0);
  Shape shape = op.ShapeOf(tensor);
  const Shape pads = op.Numbers(1);
  Shape before(shape.size(), kZero), after(shape.size(), kZero);
  bool is_padded = false;
  for (size_t i = 0; 2 * i + 1 < pads.size(); ++i) {
    const size_t axis = shape.size() - 1 - i;
    before[axis] = pads[2 * i];
    after[axis] = pads[2 * i + 1];
    shape[axis] = shape[axis] + before[axis] + after[axis];
    is_padded = is_padded || !(before[axis] == kZero) || !(after[axis] == kZero);
  }
  if (!is_padded) return tensor;
  before.insert(before.end(), after.begin(), after.end());
  std::vector<std::string> inputs = {op.Name(tensor), op.List(before)};
  if (value != nullptr) inputs.push_back(op.Name(value));
  return op.MakeOf("Pad", inputs, tensor->type, shape, {Attribute("mode", mode)});
}

Value ConstantPad(AtenCall& op) {
  const TensorPtr value = op.ConstantOf(at::scalar_tensor(op.Float(2), at::kDouble).to(op.In(0)->type));
  return Padded(op, "constant", value);
}

Value ReplicationPad(AtenCall& op) { return Padded(op, "edge", nullptr); }
Value ReflectionPad(AtenCall& op) { return Padded(op, "reflect", nullptr); }

Value PixelShuffle(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  const int64_t scale = op.Int(1);
  Shape shape = op.ShapeOf(tensor);
  op.FailUnless(shape.size() == 4, "of other than four dimensions");
  if (!op.status().ok()) return tensor;
  shape = {shape[0], FloorDiv(shape[1], Number(scale * scale)), shape[2] * Number(scale), shape[3] * Number(scale)};
  return op.Make("DepthToSpace", {tensor}, tensor->type, shape,
                 {Attribute("blocksize", scale), Attribute("mode", "CRD")});
}

Value PixelUnshuffle(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  const Number scale(op.Int(1));
  const Shape old = op.ShapeOf(tensor);
  op.FailUnless(old.size() == 4, "of other than four dimensions");
  if (!op.status().ok()) return tensor;
  const Number rows = FloorDiv(old[2], scale), columns = FloorDiv(old[3], scale);
  const TensorPtr parts = op.Reshape(tensor, {old[0], old[1], rows, scale, columns, scale});
  return op.Reshape(op.Transpose(parts, {0, 1, 3, 5, 2, 4}), {old[0], old[1] * scale * scale, rows, columns});
}

at::ScalarType TypeOr(AtenCall& op, size_t i, at::ScalarType type) {
  return op.IsNone(i) ? type : static_cast<at::ScalarType>(op.Int(i));
}

// A tensor of one value.
Value Filled(AtenCall& op, const Shape& shape, const Number& value, at::ScalarType type) {
  return op.Expand(op.Reshape(op.NumberAs(value, type), Shape(shape.size(), kOne)), shape);
}

const Number kZeroFloat(0.0), kOneFloat(1.0);

Value Zeros(AtenCall& op) { return Filled(op, op.Numbers(0), kZeroFloat, TypeOr(op, 1, at::kFloat)); }
Value Ones(AtenCall& op) { return Filled(op, op.Numbers(0), kOneFloat, TypeOr(op, 1, at::kFloat)); }

Value Full(AtenCall& op) {
  const Number value = op.Num(1);
  const at::ScalarType type = value.type() == NumberType::kInt    ? at::kLong
                              : value.type() == NumberType::kBool ? at::kBool
                                                                  : at::kFloat;
  return Filled(op, op.Numbers(0), value, TypeOr(op, 2, type));
}

// The same of the shape and the type of the first argument.
Value FilledLike(AtenCall& op, const Number& value, size_t type) {
  return Filled(op, op.ShapeOf(op.In(0)), value, TypeOr(op, type, op.In(0)->type));
}

Value ZerosLike(AtenCall& op) { return FilledLike(op, kZeroFloat, 1); }
Value OnesLike(AtenCall& op) { return FilledLike(op, kOneFloat, 1); }
Value FullLike(AtenCall& op) { return FilledLike(op, op.Num(1), 2); }

// arange(end, dtype, ...), arange(start, end, dtype, ...), arange(start, end, step, dtype, ...)
Value Arange(AtenCall& op) {
  const size_t numbers = op.size() - 4;
  const Number start = numbers > 1 ? op.Num(0) : kZero, end = op.Num(numbers > 1 ? 1 : 0);
  const Number step = numbers > 2 ? op.Num(2) : kOne;
  const bool is_whole = start.type() == NumberType::kInt && end.type() == NumberType::kInt && step.AsInt().has_value();
  op.FailUnless(is_whole && step.AsInt() != 0, "of floats, or of a step that is 0 or depends on the input");
  if (!op.status().ok()) return op.ConstantOf(at::zeros({1}));
  const at::ScalarType type = TypeOr(op, numbers, at::kLong);
  const Number count = StepsOf(start, end, *step.AsInt());
  TensorPtr range = op.Range(count, at::kLong);
  if (!(step == kOne)) range = op.Binary("Mul", range, op.NumberAs(step, at::kLong));
  if (!(start == kZero)) range = op.Binary("Add", range, op.NumberAs(start, at::kLong));
  return op.Cast(range, type);
}

Value Linspace(AtenCall& op) {
  // As ATen: from the start up to the middle, and from the end down to it.
  const Number steps = op.Num(2), start = ToFloat(op.Num(0)), end = ToFloat(op.Num(1));
  const at::ScalarType type = TypeOr(op, 3, at::kFloat);
  op.FailUnless(c10::isFloatingType(type), "of integers");
  const TensorPtr places = op.Range(steps, at::kFloat);
  const TensorPtr least = op.NumberAs(start, at::kFloat);
  const TensorPtr step = op.NumberAs(TrueDiv(end - start, Max(steps - kOne, kOne)), at::kFloat);
  const TensorPtr rising = op.Binary("Add", op.Binary("Mul", places, step), least);
  const TensorPtr left = op.Binary("Sub", op.NumberAs(steps - kOne, at::kFloat), places);
  const TensorPtr most = op.NumberAs(end, at::kFloat), fallen = op.Binary("Mul", left, step);
  const TensorPtr falling = op.Binary("Sub", most, fallen);
  const Number half = Max(FloorDiv(steps, Number(int64_t{2})), kOne);
  const TensorPtr is_first = op.Make("Less", {places, op.NumberAs(half, at::kFloat)}, at::kBool, {steps});
  return op.Cast(op.Make("Where", {is_first, rising, falling}, at::kFloat, {steps}), type);
}

// x[i, j]: tensors of places in the first dimensions, which are broadcast against each other.
Value IndexOfFirst(AtenCall& op, const TensorPtr& tensor, const std::vector<TensorPtr>& places) {
  Shape shape;
  for (const TensorPtr& one : places) shape = Broadcast(shape, op.ShapeOf(one));
  Shape column = shape;
  column.emplace_back(int64_t{1});
  std::vector<TensorPtr> columns;
  for (const TensorPtr& one : places) {
    columns.push_back(op.Reshape(op.Expand(op.Cast(one, at::kLong), shape), column));
  }
  const TensorPtr indices = op.Concat(columns, static_cast<int64_t>(shape.size()));
  const Shape old = op.ShapeOf(tensor);
  shape.insert(shape.end(), old.begin() + static_cast<int64_t>(places.size()), old.end());
  op.NoteMayFail();
  return op.Make("GatherND", {tensor, indices}, tensor->type, shape);
}

Value Index(AtenCall& op) {
  // x[:, i]: one tensor of places among dimensions that stay.
  const TensorPtr tensor = op.In(0);
  const auto* const places = std::get_if<std::shared_ptr<ValueList>>(&op.argument(1));
  op.FailUnless(places != nullptr, "has no list of places");
  if (!op.status().ok()) return tensor;
  absl::optional<size_t> axis;
  std::vector<TensorPtr> indices;
  for (size_t i = 0; i < (*places)->items.size(); ++i) {
    const auto* const known = std::get_if<c10::IValue>(&(*places)->items[i]);
    if (known != nullptr && known->isNone()) continue;
    axis = i;
    indices.push_back(op.Item(1, i));
    const at::ScalarType type = indices.back()->type;
    op.FailUnless(type == at::kLong || type == at::kInt, "by a mask, whose result has no known size");
  }
  op.FailUnless(axis.has_value(), "without places");
  const bool is_of_first = axis && *axis + 1 == indices.size();
  op.FailUnless(indices.size() == 1 || is_of_first, "with places in several dimensions that are not the first");
  if (!op.status().ok()) return tensor;
  if (indices.size() > 1) return IndexOfFirst(op, tensor, indices);
  const TensorPtr index = indices[0];
  Shape shape = op.ShapeOf(tensor);
  const Shape inserted = op.ShapeOf(index);
  shape.erase(shape.begin() + *axis);
  shape.insert(shape.begin() + *axis, inserted.begin(), inserted.end());
  op.NoteMayFail();
  return op.Make("Gather", {tensor, index}, tensor->type, shape, {Attribute("axis", static_cast<int64_t>(*axis))});
}

Value IndexSelect(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  Shape shape = op.ShapeOf(tensor);
  const int64_t axis = op.Axis(1, shape.size());
  shape[axis] = Elements(op.ShapeOf(op.In(2)));
  const TensorPtr index = op.Reshape(op.In(2), {shape[axis]});
  op.NoteMayFail();
  return op.Make("Gather", {tensor, index}, tensor->type, shape, {Attribute("axis", axis)});
}

Value Gather(AtenCall& op) {
  const TensorPtr tensor = op.In(0), index = op.In(2);
  op.NoteMayFail();
  return op.Make("GatherElements", {tensor, index}, tensor->type, op.ShapeOf(index),
                 {Attribute("axis", op.Axis(1, tensor->shape.size()))});
}

constexpr Row kRows[] = {
    {"aten::reshape", Reshape, true},
    {"aten::view", Reshape, true},
    {"aten::reshape_as", ReshapeAs, true},
    {"aten::view_as", ReshapeAs, true},
    {"aten::flatten", Flatten, true},
    {"aten::unflatten", Unflatten, true},
    {"aten::permute", Permute, true},
    {"aten::transpose", Transpose, true},
    {"aten::t", Transposed, true},
    {"aten::unsqueeze", Unsqueeze, true},
    {"aten::squeeze", Squeeze, true},
    {"aten::select", Select, true},
    {"aten::slice", Slice, true},
    {"aten::narrow", Narrow, true},
    {"aten::chunk", Chunk, true},
    {"aten::split", Split, true},
    {"aten::split_with_sizes", Split, true},
    {"aten::unbind", Unbind, true},
    {"aten::cat", Cat},
    {"aten::stack", Stack},
    {"aten::expand", Expand, true},
    {"aten::expand_as", ExpandAs, true},
    {"aten::repeat", Repeat},
    {"aten::flip", Flip},
    {"aten::constant_pad_nd", ConstantPad},
    {"aten::replication_pad1d", ReplicationPad},
    {"aten::replication_pad2d", ReplicationPad},
    {"aten::reflection_pad1d", ReflectionPad},
    {"aten::reflection_pad2d", ReflectionPad},
    {"aten::pixel_shuffle", PixelShuffle},
    {"aten::pixel_unshuffle", PixelUnshuffle},
    {"aten::zeros", Zeros},
    {"aten::ones", Ones},
    {"aten::full", Full},
    {"aten::zeros_like", ZerosLike},
    {"aten::ones_like", OnesLike},
    {"aten::full_like", FullLike},
    {"aten::arange", Arange},
    {"aten::linspace", Linspace},
    {"aten::index", Index},
    {"aten::index_select", IndexSelect},
    {"aten::gather", Gather},
};

}  // namespace

absl::Span<const Row> ShapeRows() { return kRows; }

}  // namespace modelport::onnx
