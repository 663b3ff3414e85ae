#include "common/torchscript/proof/compare_outputs.h"

#include <torch/csrc/jit/api/module.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/status/status_macros.h"
#include "common/torchscript/proof/compare_values.h"
#include "common/torchscript/proof/example.h"
#include "common/torchscript/proof/kernel_fault.h"
#include "common/torchscript/proof/nonfinite_outputs.h"
#include "common/torchscript/proof/operator_trace.h"

namespace modelport {
namespace {

using torch::jit::Module;

// Exchanges the tensors of two modules of equal structure.
void ExchangeTensors(Module a, Module b) {
  for (const auto& attribute : a.named_attributes(/*recurse=*/false)) {
    if (attribute.value.isModule()) {
      ExchangeTensors(attribute.value.toModule(), b.attr(attribute.name).toModule());
    } else if (attribute.value.isTensor()) {
      a.setattr(attribute.name, b.attr(attribute.name));
      b.setattr(attribute.name, attribute.value);
    }
  }
}

// The output of `call` of `expected` with the tensors of `actual`: equal values at other places in memory.
absl::StatusOr<c10::IValue> RunOnTensorsOf(const Module& actual, const Module& expected, const Call& call) {
  ExchangeTensors(expected, actual);
  absl::StatusOr<std::vector<c10::IValue>> outputs = RunExamples(expected, {call});
  ExchangeTensors(expected, actual);
  RETURN_IF_ERROR(outputs.status());
  return outputs->front();
}

Shape OutputShape(const c10::IValue& output) { return output.isTensor() ? output.toTensor().sizes().vec() : Shape(); }

// Two modules of equal tensors, and calls to compare.
struct Pair {
  const Module& expected;
  const Module& actual;
  const std::vector<Call>& examples;
  bool allow_nonfinite;
};

// The operator that makes the first value of `call` that is not finite; empty if there is none.
std::string FirstNonfinite(const Module& module, const Call& call) {
  for (const OperatorRun& run : TraceOperators([&] { RunExamples(module, {call}).IgnoreError(); })) {
    if (run.makes_nonfinite) return run.call;
  }
  return "";
}

// Counts the values of an output that are not finite. They are an error unless the pair allows them.
absl::Status CheckFinite(const Pair& pair, const Call& call, const c10::IValue& output, ComparedOutput& compared) {
  const std::vector<NonfiniteOutput> nonfinite = FindNonfinite(output, call.text);
  for (const NonfiniteOutput& tensor : nonfinite) {
    compared.nan += tensor.nan;
    compared.infinite += tensor.infinite;
  }
  if (nonfinite.empty() || pair.allow_nonfinite) return absl::OkStatus();
  const NonfiniteOutput& first = nonfinite.front();
  const std::string maker = FirstNonfinite(pair.expected, call);
  return absl::FailedPreconditionError(absl::StrCat(
      first.name, ": ", first.nan, " of ", first.elements, " values are NaN and ", first.infinite,
      " infinite, of finite inputs", maker.empty() ? "" : absl::StrCat("\n  the first such values come from ", maker),
      "\n  possible causes: a wrong weight, such as a negative variance; overflow in the dtype, as float16 ends at "
      "65504"
      " and float32 and bfloat16 end at 3e38; seeded weights, where published ones cause no overflow"
      "\n  --allow_nonfinite accepts such outputs"));
}

absl::StatusOr<ComparedOutput> CompareOutput(const Pair& pair, const Call& call, const c10::IValue& expected,
                                             const c10::IValue& actual) {
  ASSIGN_OR_RETURN(Difference difference, CompareValues(expected, actual, call.text));
  ComparedOutput compared{call.text, difference.max_abs, difference.relative, OutputShape(actual)};
  if (difference.relative > kAlignmentTolerance) {
    // A network may magnify rounding without bound. Then both modules must give equal bits on the same memory.
    ASSIGN_OR_RETURN(const c10::IValue output, RunOnTensorsOf(pair.actual, pair.expected, call));
    ASSIGN_OR_RETURN(difference, CompareValues(output, actual, call.text));
    if (difference.max_abs != 0) {
      return absl::DataLossError(absl::StrCat(call.text, " differs by ", difference.max_abs, ", ", difference.relative,
                                              " of its range, on equal tensors"));
    }
    compared.equal_on_same_memory = true;
  }
  RETURN_IF_ERROR(CheckFinite(pair, call, actual, compared));
  return compared;
}

// The comparison of a pair's calls, up to the first that does not agree.
struct Comparison {
  std::vector<ComparedOutput> outputs;
  absl::Status status;  // Of the first call that does not agree, if there is one.
};

Comparison CompareEach(const Pair& pair, const std::vector<c10::IValue>& expected,
                       const std::vector<c10::IValue>& actual) {
  Comparison result;
  for (size_t i = 0; i < pair.examples.size(); ++i) {
    absl::StatusOr<ComparedOutput> compared = CompareOutput(pair, pair.examples[i], expected[i], actual[i]);
    if (!compared.ok()) {
      result.status = compared.status();
      break;
    }
    result.outputs.push_back(*std::move(compared));
  }
  return result;
}

absl::StatusOr<Comparison> CompareWithoutOneDnn(const Pair& pair) {
  const WithoutOneDnn without;
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> expected, RunExamples(pair.expected, pair.examples));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> actual, RunExamples(pair.actual, pair.examples));
  return CompareEach(pair, expected, actual);
}

// The unstable operator in the call at which `failed` ended, if there is one.
absl::StatusOr<absl::optional<OperatorRun>> FindFault(const Pair& pair, const Comparison& failed) {
  return FindUnstableOperator(pair.expected, pair.examples[failed.outputs.size()]);
}

// The error for a pair that differs without oneDNN, too: it names the unstable operator or, if there is none, the
// difference of the modules.
absl::Status ExplainWithoutOneDnn(const Pair& pair, const Comparison& failed) {
  if (absl::IsFailedPrecondition(failed.status)) return failed.status;
  const WithoutOneDnn without;
  ASSIGN_OR_RETURN(const absl::optional<OperatorRun> fault, FindFault(pair, failed));
  if (!fault) return failed.status;
  if (fault->is_random) {
    return absl::InvalidArgumentError(
        absl::StrCat(fault->call, " draws random numbers, so outputs cannot be compared; remove it from the model"));
  }
  return absl::UnavailableError(absl::StrCat("nothing can be proven on this machine: ", fault->call, kFaultVerdict,
                                             " here, even without oneDNN; use another machine or --dtype"));
}

}  // namespace

absl::StatusOr<ComparedOutputs> CompareOutputs(const Module& expected, const Module& actual,
                                               const std::vector<Call>& examples,
                                               const std::vector<c10::IValue>& expected_outputs,
                                               const std::vector<c10::IValue>& outputs, bool allow_nonfinite) {
  const Pair pair{expected, actual, examples, allow_nonfinite};
  Comparison compared = CompareEach(pair, expected_outputs, outputs);
  if (compared.status.ok()) return ComparedOutputs{std::move(compared.outputs), ""};
  // If the modules agree without oneDNN, a kernel of oneDNN is at fault and not the modules.
  ASSIGN_OR_RETURN(Comparison without, CompareWithoutOneDnn(pair));
  if (!without.status.ok()) return ExplainWithoutOneDnn(pair, without);
  ASSIGN_OR_RETURN(const absl::optional<OperatorRun> fault, FindFault(pair, compared));
  // Rounding differs without oneDNN and may turn an infinite value into the largest finite number.
  if (!fault && absl::IsFailedPrecondition(compared.status)) return compared.status;
  const std::string culprit = fault ? fault->call : "a kernel of oneDNN";
  return ComparedOutputs{std::move(without.outputs), absl::StrCat(culprit, kFaultVerdict)};
}

}  // namespace modelport
