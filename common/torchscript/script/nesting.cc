#include "common/torchscript/script/nesting.h"

#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/frontend/lexer.h>

#include <algorithm>
#include <vector>

namespace modelport {
namespace {

// Finds an upper bound of the syntax tree's depth at the token that was added last.
class NestingMeter {
 public:
  // Returns the depth.
  int Add(int token) {
    switch (token) {
      case '(':
      case '[':
      case '{':
        ++brackets_.back().operations;
        brackets_.emplace_back();
        break;
      case ')':
      case ']':
      case '}':
        Close();
        break;
      case ',':
        EndItem();
        break;
      case torch::jit::TK_NEWLINE:
        EndStatement();
        break;
      case torch::jit::TK_INDENT:
        elifs_.push_back(0);
        EndStatement();
        break;
      case torch::jit::TK_DEDENT:
        elifs_.pop_back();
        EndStatement();
        break;
      case torch::jit::TK_IDENT:
      case torch::jit::TK_NUMBER:
      case torch::jit::TK_STRINGLITERAL:
        Begin(token);
        break;
      default:
        Begin(token);
        ++brackets_.back().operations;
    }
    return Depth();
  }

 private:
  // The text within a pair of brackets, up to the last token. Commas divide it into items, of which the deepest counts.
  struct Bracket {
    int Depth() const { return operations + inner; }

    int operations = 0;  // Of the last item.
    int inner = 0;       // Depth of the deepest brackets in it.
    int deepest = 0;     // Depth of the deepest item before it.
  };

  // In the syntax tree an elif lies within the else of the branch before it.
  void Begin(int token) {
    if (!at_start_) return;
    at_start_ = false;
    if (token == torch::jit::TK_ELIF) {
      ++elifs_.back();
    } else if (token != torch::jit::TK_ELSE) {
      elifs_.back() = 0;
    }
  }

  void Close() {
    if (brackets_.size() == 1) return;  // The parser reports the stray bracket.
    const int depth = std::max(brackets_.back().deepest, brackets_.back().Depth());
    brackets_.pop_back();
    brackets_.back().inner = std::max(brackets_.back().inner, depth);
  }

  void EndItem() {
    Bracket& bracket = brackets_.back();
    bracket = {.operations = 0, .inner = 0, .deepest = std::max(bracket.deepest, bracket.Depth())};
  }

  void EndStatement() {
    brackets_.assign(1, Bracket());
    at_start_ = true;
  }

  int Depth() const {
    int depth = static_cast<int>(elifs_.size());
    for (const int count : elifs_) depth += count;
    for (const Bracket& bracket : brackets_) depth += bracket.operations;
    return depth + brackets_.back().inner;
  }

  std::vector<Bracket> brackets_{1};  // Those that are open; the first one is the statement itself.
  std::vector<int> elifs_{1};         // Consecutive elifs, for each open block.
  bool at_start_ = true;              // The next token begins a statement.
};

}  // namespace

void CheckNesting(const std::shared_ptr<torch::jit::Source>& source) {
  NestingMeter meter;
  torch::jit::Lexer lexer(source);
  while (lexer.cur().kind != torch::jit::TK_EOF) {
    const torch::jit::Token token = lexer.next();
    if (meter.Add(token.kind) <= kMaxNesting) continue;
    throw torch::jit::ErrorReport(token.range)
        << "nested more than " << kMaxNesting
        << " levels deep; assign a part of it to a variable, or move it into a function";
  }
}

}  // namespace modelport
