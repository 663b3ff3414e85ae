#include "common/parity/capture.h"

#include <ATen/core/function.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"

namespace modelport {
namespace {

using torch::jit::Block;
using torch::jit::Graph;
using torch::jit::Node;
using torch::jit::Value;

std::string Text(const Stage& stage) {
  return absl::StrCat(stage.side == Stage::Side::kInput ? "input of " : "", JoinPath(stage.path, stage.method), "()");
}

// The submodule's path if `value` was got from `self` by attributes alone.
std::optional<std::string> PathFrom(const Value* self, const Value* value) {
  if (value == self) return "";
  const Node* node = value->node();
  if (node->kind() != c10::prim::GetAttr) return std::nullopt;
  std::optional<std::string> parent = PathFrom(self, node->input());
  if (!parent) return std::nullopt;
  return JoinPath(*parent, node->s(c10::attr::name));
}

// Inlines all method calls of a graph, and on the way appends the values of the stages to lists, which become outputs.
// Lists work where the value itself could not be returned: inside of branches and loops.
class Instrumenter {
 public:
  Instrumenter(std::shared_ptr<Graph> graph, const std::vector<Stage>& stages)
      : graph_(std::move(graph)), stages_(stages), lists_(stages.size()) {}

  absl::Status Run() {
    Visit(graph_->block());
    for (size_t i = 0; i < stages_.size(); ++i) {
      if (lists_[i] == nullptr) return absl::NotFoundError(absl::StrCat("nothing calls ", Text(stages_[i])));
      graph_->registerOutput(lists_[i]);
    }
    return absl::OkStatus();
  }

 private:
  void Visit(Block* block) {
    for (auto it = block->nodes().begin(); it != block->nodes().end();) {
      Node* node = *it;
      for (Block* inner : node->blocks()) Visit(inner);
      if (node->kind() != c10::prim::CallMethod) {
        ++it;
        continue;
      }
      Node* before = node->prev();
      VisitCall(node);
      it = before->iterator();  // The inlined body is visited too: it may call other methods.
      ++it;
    }
  }

  void VisitCall(Node* call) {
    const std::string method = call->s(c10::attr::name);
    const std::optional<std::string> path = PathFrom(graph_->inputs()[0], call->input(0));
    for (size_t i = 0; path && i < stages_.size(); ++i) {
      if (stages_[i].path != *path || stages_[i].method != method) continue;
      if (stages_[i].side == Stage::Side::kInput) {
        Append(i, call->input(1), call);
      } else {
        Append(i, call->output(), call->next());
      }
    }
    torch::jit::Function& callee = call->input(0)->type()->expectRef<c10::ClassType>().getMethod(method);
    torch::jit::GraphFunction& function = torch::jit::toGraphFunction(callee);
    // Its graph as written: the optimised one has its own calls inlined already.
    torch::jit::inlineCallTo(call, &function, function.graph().get());
  }

  // Appends `value` to the list of `stage` in front of `position`.
  void Append(size_t stage, Value* value, Node* position) {
    if (lists_[stage] == nullptr) {
      const torch::jit::WithInsertPoint at_start(graph_->block()->nodes().front());
      lists_[stage] = graph_->insertNode(graph_->createList(value->type(), {}))->output();
    }
    const torch::jit::WithInsertPoint here(position);
    graph_->insert(c10::aten::append, {lists_[stage], value});
  }

  std::shared_ptr<Graph> graph_;
  const std::vector<Stage>& stages_;
  std::vector<Value*> lists_;
};

}  // namespace

absl::StatusOr<Stage> ParseStage(absl::string_view text) {
  Stage stage;
  if (absl::ConsumePrefix(&text, "input of ")) stage.side = Stage::Side::kInput;
  if (absl::ConsumeSuffix(&text, "()")) {
    const size_t dot = text.rfind('.');
    stage.method = std::string(text.substr(dot == absl::string_view::npos ? 0 : dot + 1));
    text = text.substr(0, dot == absl::string_view::npos ? 0 : dot);
  } else if (text.empty()) {
    return absl::InvalidArgumentError(
        "a stage is a submodule's path, such as blocks.2, or a method, such as norm.forward()");
  }
  stage.path = std::string(text);
  return stage;
}

absl::StatusOr<Captured> RunAndCapture(const torch::jit::Module& module, const std::string& method,
                                       const std::vector<c10::IValue>& inputs, const std::vector<Stage>& stages) {
  const auto found = module.find_method(method);
  if (!found) return absl::NotFoundError(absl::StrCat("no method ", method));
  std::shared_ptr<Graph> graph = found->graph()->copy();
  absl::Status status;
  RETURN_IF_ERROR(CatchTorch([&] { status = Instrumenter(graph, stages).Run(); }));
  RETURN_IF_ERROR(status);

  torch::jit::Stack stack = {module._ivalue()};
  stack.insert(stack.end(), inputs.begin(), inputs.end());
  RETURN_IF_ERROR(CatchTorch([&] {
    found->function().getSchema().checkAndNormalizeInputs(stack, {});
    torch::jit::GraphExecutor(graph, method).run(stack);
  }));
  Captured captured;
  captured.result = stack[0];
  for (size_t i = 0; i < stages.size(); ++i) captured.captures.push_back(stack[i + 1].toListRef().vec());
  return captured;
}

}  // namespace modelport
