// The small language of a plugin's YAML: values, expressions over a module type's arguments, and calls of module types.
//
//   expression = choice ["if" choice "else" expression]
//   choice     = conjunct {"or" conjunct}
//   conjunct   = negation {"and" negation}
//   negation   = {"not"} comparison
//   comparison = sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum]
//   sum        = term {("+" | "-") term}
//   term       = factor {("*" | "/" | "//") factor}
//   factor     = "-" factor | primary {"[" expression "]"}
//   primary    = INTEGER | FLOAT | "true" | "false" | STRING | NAME | list | "(" expression ")" | function
//   function   = NAME "(" [expression {"," expression}] ")"
//   list       = "[" [expression {"," expression}] "]"
//   call       = NAME "(" [argument {"," argument}] ")"
//   argument   = [NAME "="] expression
//   signature  = NAME "(" [parameter {"," parameter}] ")"
//   parameter  = NAME ["=" expression]
//
// A STRING is in double quotes and has no escapes. Arithmetic is on 64-bit integers, and overflow is an error; "//"
// rounds towards minus infinity, as in Python, and "/" is an error unless nothing is left over. The items of a list are
// numbers; one float among them makes it a list of floats. An index counts from 0, a negative one from the end. Numbers
// and lists compare by value; texts, module types and booleans compare only with their own kind and only by "==" and
// "!=". "and", "or" and "not" take booleans and integers, of which 0 is false, and give a boolean; the right operand is
// evaluated only if the left one does not decide the result. "if" takes such a condition, and of its two values the one
// that it chooses is evaluated. A NAME is an argument in scope or, if there is none, a module type. A function stands
// only in an expression that ParseWithCalls reads. A text has at most 1000 characters and 100 levels of nesting, a call
// or signature at most 100 arguments.
#ifndef MODELPORT_COMMON_EXPRESSION_EXPRESSION_H_
#define MODELPORT_COMMON_EXPRESSION_EXPRESSION_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {

// A module type given as an argument: `ffn=SwiGLU`.
struct TypeName {
  std::string name;
  friend bool operator==(const TypeName&, const TypeName&) = default;
  friend auto operator<=>(const TypeName&, const TypeName&) = default;
};

// What an expression evaluates to.
using Value = std::variant<int64_t, double, bool, std::string, std::vector<int64_t>, std::vector<double>, TypeName>;

// The value as the YAML would write it.
std::string ValueString(const Value& value);

// The number that an integer or a float is; nothing for any other value.
absl::optional<double> NumberOf(const Value& value);

// Arguments of the module type being instantiated.
using Scope = std::map<std::string, Value, std::less<>>;

// The functions that an expression may call, by their names. An error says what is wrong with the arguments.
using Functions =
    std::map<std::string, std::function<absl::StatusOr<Value>(const std::vector<Value>& arguments)>, std::less<>>;

// A parsed expression.
class Expression {
 public:
  struct Node;

  // InvalidArgument says what was expected and at which column of `text`.
  static absl::StatusOr<Expression> Parse(absl::string_view text);

  // The same for a text that may call functions: shape("pos_embed")[1] - 1.
  static absl::StatusOr<Expression> ParseWithCalls(absl::string_view text);

  // Used by the parser only.
  Expression(std::string text, std::shared_ptr<const Node> root) : text_(std::move(text)), root_(std::move(root)) {}

  const std::string& text() const { return text_; }

  // Every NAME in it, sorted.
  std::vector<std::string> names() const;

  // The names of the functions that it calls, sorted.
  std::vector<std::string> functions() const;

  // The names that are operands of "==" or "!=", sorted. In every expression these may be module types.
  std::vector<std::string> compared_names() const;

  // A name that is not in `scope` evaluates to a TypeName.
  //   InvalidArgument  arithmetic on a value that is not an integer, division by zero, "/" that leaves a remainder, an
  //   index
  //                    out of range, values that cannot be compared, overflow ("dim * dim": 4000000000 * 4000000000
  //                    does not fit an integer of 64 bits), a function that `functions` lacks
  //   others           as the functions
  absl::StatusOr<Value> Evaluate(const Scope& scope, const Functions& functions = {}) const;

  // Evaluates to a condition: true, false, or an integer, of which 0 is false. InvalidArgument as EvaluateInt.
  absl::StatusOr<bool> EvaluateCondition(const Scope& scope) const;

  // Evaluates to an integer, or InvalidArgument: unknown name "dims"; nearest: dim.
  absl::StatusOr<int64_t> EvaluateInt(const Scope& scope) const;

  // The same expression of the names that are not in `scope`: with {patch: 14}, "H // patch" becomes "H // 14". Without
  // such names it becomes its value. InvalidArgument as Evaluate.
  absl::StatusOr<Expression> Bind(const Scope& scope) const;

 private:
  // Begins the error with the expression's text, unless the expression is a single name or literal.
  absl::Status InContext(const absl::Status& error) const;

  std::string text_;
  std::shared_ptr<const Node> root_;
};

// "Block(dim, heads, ffn=Mlp)".
struct Call {
  std::string text;
  std::string type;  // A module type, or an argument in scope whose value is one.
  std::vector<Expression> positional;
  std::vector<std::pair<std::string, Expression>> named;
  std::string place = {};  // Where it is written, "toy/plugin.yaml:12:5", for messages; empty: unknown.
};
absl::StatusOr<Call> ParseCall(absl::string_view text);

// "Conv2d(inputs, outputs, kernel, stride=1)". A default may use the arguments before it.
struct Signature {
  struct Argument {
    std::string name;
    absl::optional<Expression> fallback;
  };
  std::string name;
  std::vector<Argument> arguments;

  std::vector<std::string> argument_names() const;
};
absl::StatusOr<Signature> ParseSignature(absl::string_view text);

// For each of `callee`'s arguments the expression that `call` gives for it, or null where the default applies.
// InvalidArgument: too many, missing, unknown or repeated arguments.
absl::StatusOr<std::vector<const Expression*>> MatchArguments(const Signature& callee, const Call& call);

// The scope in which `callee`'s expressions are evaluated when `call` is made from `caller`. InvalidArgument as
// MatchArguments and Evaluate.
absl::StatusOr<Scope> BindArguments(const Signature& callee, const Call& call, const Scope& caller);

// `text` as the value of an argument that has the value `now`, of the same kind; an integer is a float, too.
// InvalidArgument as Parse and Evaluate, and: wants a value as 80.0, has [1].
absl::StatusOr<Value> ReadArgument(absl::string_view text, const Value& now);

// The text of `call` with the argument texts `changed` in place of those that it gives; each is by its name, and they
// stand in the order of `callee`, which has them all: "Net(dim=8, taps=[1, 2])".
std::string TextOfCall(const Signature& callee, const Call& call, const std::map<std::string, std::string>& changed);

}  // namespace modelport

#endif  // MODELPORT_COMMON_EXPRESSION_EXPRESSION_H_
