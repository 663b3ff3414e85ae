// Expressions, calls and signatures of a plugin, and their values. The first line of the input is a call, the rest is
// the signature that it is matched with; all of it is an expression, too.
#include <utility>

#include "absl/strings/str_split.h"
#include "common/expression/expression.h"
#include "tests/fuzz/fuzz_check.h"

namespace modelport {
namespace {

const Scope& Arguments() {
  static const auto* scope = new Scope{{"d", int64_t{384}},
                                       {"e", 1e-6},
                                       {"f", false},
                                       {"s", std::string("a")},
                                       {"l", std::vector<int64_t>{1, 2, 3}},
                                       {"r", std::vector<double>{0.5, 0.25}},
                                       {"t", TypeName{"Mlp"}}};
  return *scope;
}

void EvaluateExpression(const Expression& expression) {
  const absl::StatusOr<Value> value = expression.Evaluate(Arguments());
  FuzzCheckRefusal(value.status());
  FuzzCheckRefusal(expression.EvaluateCondition(Arguments()).status());
  FuzzCheckRefusal(expression.EvaluateInt(Arguments()).status());
  FuzzCheck(expression.names().size() >= expression.compared_names().size(), "a compared name is a name");
  if (value.ok()) FuzzCheck(!ValueString(*value).empty(), "a value has a text");
  const absl::StatusOr<Expression> bound = expression.Bind(Arguments());
  FuzzCheckRefusal(bound.status());
  if (!bound.ok() || !value.ok()) return;
  const absl::StatusOr<Value> again = bound->Evaluate({});
  FuzzCheck(again.ok() && ValueString(*again) == ValueString(*value), "a bound expression has the same value");
}

void BindCall(const Signature& signature, const Call& call) {
  FuzzCheckRefusal(MatchArguments(signature, call).status());
  FuzzCheckRefusal(BindArguments(signature, call, Arguments()).status());
}

}  // namespace
}  // namespace modelport

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text = modelport::FuzzText(data, size);
  const absl::StatusOr<modelport::Expression> expression = modelport::Expression::Parse(text);
  modelport::FuzzCheckRefusal(expression.status());
  if (expression.ok()) modelport::EvaluateExpression(*expression);
  const std::pair<absl::string_view, absl::string_view> lines = absl::StrSplit(text, absl::MaxSplits('\n', 1));
  const absl::StatusOr<modelport::Call> call = modelport::ParseCall(lines.first);
  modelport::FuzzCheckRefusal(call.status());
  const absl::StatusOr<modelport::Signature> signature = modelport::ParseSignature(lines.second);
  modelport::FuzzCheckRefusal(signature.status());
  if (call.ok() && signature.ok()) modelport::BindCall(*signature, *call);
  return 0;
}
