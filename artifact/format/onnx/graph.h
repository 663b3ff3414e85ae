// An ONNX graph while it is made: nodes, constants and names.
#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_GRAPH_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_GRAPH_H_

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "artifact/format/onnx/number.h"
#include "artifact/format/onnx/onnx.pb.h"

namespace modelport::onnx {

// The opset of files that ask for none, which every host's runtime of the last years reads, and the newest that is
// written.
inline constexpr int kOpset = 17, kNewestOpset = 22;

// A graph with its constants, whose elements are not in the messages.
struct Model {
  onnx_file::GraphProto graph;              // Without initializers.
  std::vector<std::string> constants = {};  // Their names, in the order in which they were first used.
  std::vector<at::Tensor> tensors = {};     // One for each constant.
};

// An attribute of a node.
onnx_file::AttributeProto Attribute(absl::string_view name, int64_t value);
onnx_file::AttributeProto Attribute(absl::string_view name, double value);
onnx_file::AttributeProto Attribute(absl::string_view name, absl::string_view value);
onnx_file::AttributeProto Attribute(absl::string_view name, const std::vector<int64_t>& value);

// ONNX's name of a type of elements; UNDEFINED if it has none here.
onnx_file::TensorProto::DataType DataTypeOf(at::ScalarType type);

// A value's name, type and shape, whose sizes may be texts.
onnx_file::ValueInfoProto ValueInfo(const std::string& name, at::ScalarType type, const std::vector<Number>& shape);

// Collects nodes. An equal node is added once: what was added before is its result.
class Graph {
 public:
  // The names of the `outputs` results of a node. Names are made of `scope`, the path of the module whose code asks for
  // it, and the operation.
  std::vector<std::string> Add(absl::string_view operation, const std::vector<std::string>& inputs,
                               const std::vector<onnx_file::AttributeProto>& attributes, const std::string& scope,
                               int outputs = 1);

  // Has Take call the value of this name `name`, which UniqueName gave. One that is no node's result, or that has
  // another such name already, is copied.
  void NameOutput(const std::string& value, const std::string& name);

  // The name of a constant with these elements. `name` is that of a weight; empty: any other constant.
  std::string Constant(const at::Tensor& tensor, const std::string& name = "");
  std::string Constant(const std::vector<int64_t>& values);

  // A name that nothing has: `wanted`, or with a number behind it.
  std::string UniqueName(const std::string& wanted);

  // Nodes, and the results that Add and Remember know of them.
  struct Scope {
    onnx_file::GraphProto graph;
    std::map<std::string, std::string> known = {};
    bool may_fail = false;  // At sizes at which the branch is not taken.
  };

  // Begins and ends a graph within, a branch: nodes that are added between them are its own.
  void BeginBranch() { scopes_.emplace_back(); }
  Scope EndBranch(const std::string& name);

  // Adds the nodes of a branch to those around it.
  void AddNodes(const Scope& branch);

  // That the innermost branch takes what other sizes may not have.
  void NoteMayFail() { scopes_.back().may_fail = true; }

  // How many branches within each other the nodes are added to; 0: none.
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }
  // How many nodes the innermost has.
  int nodes() const { return scopes_.back().graph.node_size(); }

  // A number's name here, which the maker remembers with Remember; null if it has none.
  const std::string* Find(const std::string& key) const;
  void Remember(const std::string& key, std::string name) { scopes_.back().known[key] = std::move(name); }

  // What `outputs` need of all that was added. `graph` gets its inputs and outputs from the caller.
  Model Take(const std::vector<std::string>& outputs);

 private:
  std::vector<Scope> scopes_ = std::vector<Scope>(1);
  std::set<std::string> names_;
  std::map<std::string, std::string> output_names_;  // Of results, by the names that their nodes gave them.
  Model model_;
  std::map<std::string, std::string> constants_;  // Names by what tells constants apart.
};

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_GRAPH_H_
