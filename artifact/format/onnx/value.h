// What the converter has for each value of TorchScript code.
#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_VALUE_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_VALUE_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "artifact/format/onnx/number.h"

namespace modelport::onnx {

// A tensor of the graph, or a constant that a node takes. As in LibTorch, code that writes into a tensor changes it for
// all that have it, so values share it.
struct Tensor {
  std::string name;  // In the graph; empty for a constant that no node took yet.
  at::ScalarType type = at::kFloat;
  std::vector<Number> shape;
  at::Tensor constant = {};  // Undefined for what nodes compute.
  int depth = 0;             // The depth of the graph in which it was made.
  // How often the memory that this tensor shares with its views was written to, and how often when this was read from
  // it: a view does not see what was written to its tensor later.
  std::shared_ptr<int> writes = std::make_shared<int>(0);
  int seen = 0;
  // Of a view that is a part of another tensor along one dimension, which it lacks itself if it is one place there.
  struct Part {
    std::shared_ptr<Tensor> whole;
    int64_t axis = 0;
    Number start, end;
    bool is_place = false;
  };
  std::shared_ptr<Part> part = {};
  // Of which a condition on sizes chose this: what is written to one of them later may be written to this.
  std::vector<std::shared_ptr<Tensor>> chosen_of = {};

  // Whether nothing was written to its memory since it was made or read.
  bool is_current() const { return seen == *writes; }
};

struct ValueList;
struct ValueDict;

// A value: one that is known now, a number that depends on sizes, a tensor of the graph, or a list, tuple or dictionary
// of such.
using Value =
    std::variant<c10::IValue, Number, std::shared_ptr<Tensor>, std::shared_ptr<ValueList>, std::shared_ptr<ValueDict>>;

struct ValueList {
  std::vector<Value> items;
  int depth = 0;
};

struct ValueDict {
  std::vector<std::pair<std::string, Value>> items;
  int depth = 0;
};

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_VALUE_H_
