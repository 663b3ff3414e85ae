// A call of an operator in the code that is converted, as the rows of the tables see it, and what they make of it.
#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_ATEN_CALL_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_ATEN_CALL_H_

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "artifact/format/onnx/graph.h"
#include "artifact/format/onnx/number.h"
#include "artifact/format/onnx/value.h"

namespace modelport::onnx {

using TensorPtr = std::shared_ptr<Tensor>;
using Shape = std::vector<Number>;
using Attributes = std::vector<onnx_file::AttributeProto>;

// What all operations of a conversion share.
struct Context {
  int opset = kOpset;
  Graph graph;
  Facts facts;
  std::string scope;                           // The path of the module whose code runs.
  std::map<const void*, std::string> weights;  // Their names, by their tensors.
  std::set<const void*> weight_storages;       // Their memory.
  // The memory of constants that are in the graph, where an equal constant may stand for them. What is here keeps its
  // address, so that no later constant takes it for its own.
  std::map<const void*, c10::weak_intrusive_ptr<c10::StorageImpl>> taken;
  // The memory of constants of which there are views in the graph, which keeps its address in the same way.
  std::map<const void*, c10::weak_intrusive_ptr<c10::StorageImpl>> viewed;
  // What constants are that code has written into: by their memory, their tensor and what it is now.
  std::map<const void*, std::pair<at::Tensor, TensorPtr>> rewritten;
  // Where symbols are measured: a tensor and one of its dimensions.
  std::map<std::string, std::pair<std::string, int64_t>> symbols;
};

// The name of a number in the graph: of a tensor [1] of int64, double or bool.
std::string NameOf(const Number& number, Context& context);

// The memory of a constant, which its views share.
const void* MemoryOf(const at::Tensor& tensor);

// Notes that a constant is in the graph.
void Take(const at::Tensor& constant, Context& context);

// Notes that a tensor of the graph is a view of a constant.
void NoteView(const at::Tensor& constant, Context& context);

// The number that a value is, with all that is known now; nothing for other values.
absl::optional<Number> AsNumber(const Value& value, const Context& context);

// A number as a value, which is known if the number is.
Value FromNumber(const Number& number);

// One call. The first error stays, and what is computed after it is of no use, so rows need not check for errors.
class AtenCall {
 public:
  AtenCall(std::string name, std::vector<Value> arguments, Context& context)
      : name_(std::move(name)), arguments_(std::move(arguments)), context_(context) {}

  const std::string& name() const { return name_; }
  absl::Status status() const { return status_; }

  // Makes the call an error: "NAME: message".
  void Fail(absl::string_view message);
  void FailUnless(bool condition, absl::string_view message) {
    if (!condition) Fail(message);
  }

  // The arguments, in the order of the operator's schema.
  size_t size() const { return arguments_.size(); }
  // None where the operator has fewer.
  const Value& argument(size_t i) const;
  bool IsNone(size_t i) const;
  bool IsTensor(size_t i) const;
  TensorPtr In(size_t i);
  std::vector<TensorPtr> Tensors(size_t i);
  TensorPtr Item(size_t i, size_t item);  // A tensor of a list.
  int64_t Int(size_t i);
  double Float(size_t i);
  bool Bool(size_t i);
  std::string Text(size_t i);
  std::vector<int64_t> Ints(size_t i);
  Number Num(size_t i);  // An integer, float or bool, known or not.
  Shape Numbers(size_t i);
  // A dimension of a tensor of rank `rank`; a negative one counts from the end.
  int64_t Axis(size_t i, size_t rank);

  // These tensors as a list or a tuple.
  Value List(const std::vector<TensorPtr>& tensors) const;

  int opset() const { return context_.opset; }

  // How many branches the code is in.
  int depth() const { return context_.graph.depth(); }

  // The shape of a tensor with all that is known now.
  Shape ShapeOf(const TensorPtr& tensor) const;

  // A node with one result.
  TensorPtr Make(absl::string_view operation, const std::vector<TensorPtr>& inputs, at::ScalarType type, Shape shape,
                 const Attributes& attributes = {});
  // The same with the names of inputs.
  TensorPtr MakeOf(absl::string_view operation, const std::vector<std::string>& inputs, at::ScalarType type,
                   Shape shape, const Attributes& attributes = {});
  // The same with several results.
  std::vector<TensorPtr> MakeAll(absl::string_view operation, const std::vector<std::string>& inputs,
                                 const std::vector<std::pair<at::ScalarType, Shape>>& results,
                                 const Attributes& attributes = {});
  // A tensor's name in the graph, with all that was written to its memory.
  std::string Name(const TensorPtr& tensor);
  std::string Name(const Number& number) { return NameOf(number, context_); }
  std::string Constant(const std::vector<int64_t>& values) { return context_.graph.Constant(values); }
  TensorPtr ConstantOf(const at::Tensor& tensor) const;
  // A number as a tensor [1] of this type.
  TensorPtr NumberAs(const Number& number, at::ScalarType type);
  // The names of a tensor of int64 that has these numbers.
  std::string List(const Shape& numbers);

  TensorPtr Cast(const TensorPtr& tensor, at::ScalarType type);
  // A floating tensor of fewer bits as float32, in which ATen computes what adds up many numbers.
  TensorPtr Wide(const TensorPtr& tensor);
  TensorPtr Reshape(const TensorPtr& tensor, const Shape& shape);
  TensorPtr Transpose(const TensorPtr& tensor, const std::vector<int64_t>& order);
  TensorPtr Expand(const TensorPtr& tensor, const Shape& shape);
  // The elements from `start` to before `end`, which both lie in it.
  TensorPtr Slice(const TensorPtr& tensor, int64_t axis, const Number& start, const Number& end, int64_t step = 1);
  TensorPtr Concat(const std::vector<TensorPtr>& tensors, int64_t axis);
  // The whole of the part `tensor` with its elements in their place.
  TensorPtr PutBack(const TensorPtr& tensor);
  // An elementwise node of two tensors of one type, which are broadcast.
  TensorPtr Binary(absl::string_view operation, const TensorPtr& a, const TensorPtr& b);
  TensorPtr Binary(absl::string_view operation, const TensorPtr& a, double b);
  TensorPtr Unary(absl::string_view operation, const TensorPtr& a, const Attributes& attributes = {});
  TensorPtr MatMul(const TensorPtr& a, const TensorPtr& b);
  // That this takes an element that a tensor may not have at other sizes.
  void NoteMayFail() { context_.graph.NoteMayFail(); }
  // `size` numbers of this type: first, first + 1, ...
  TensorPtr Range(const Number& size, at::ScalarType type, int64_t first = 0);

 private:
  // The tensor, or a part of one that was written to taken from there again.
  TensorPtr Current(const TensorPtr& tensor);

  // The name of the weight that a constant is as the module has it; "" for others, and for parts and views of weights.
  std::string WeightName(const at::Tensor& constant) const;

  std::string name_;
  std::vector<Value> arguments_;
  Context& context_;
  absl::Status status_;
};

// The shape of an elementwise result of both.
Shape Broadcast(const Shape& a, const Shape& b);
Number Elements(const Shape& shape);

// How an operator of ATen is made of ONNX's. Rows get functional operators: "aten::add" stands for add_, too.
struct Row {
  absl::string_view name;
  Value (*make)(AtenCall&);
  bool is_view = false;  // The result may share its first argument's memory.
};

// The rows of one file each.
absl::Span<const Row> ElementwiseRows();
absl::Span<const Row> ShapeRows();
absl::Span<const Row> LayerRows();

// The row of the operator; null if it has none.
const Row* FindRow(absl::string_view name);

// What an operator on numbers alone, such as aten::floordiv, makes of them; nothing if it has no row.
absl::optional<Number> NumberRow(absl::string_view name, const std::vector<Number>& arguments);

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_ATEN_CALL_H_
