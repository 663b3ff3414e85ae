#include "common/proof/compare_outputs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/proof/compare_values.h"
#include "common/proof/example.h"
#include "common/proof/kernel_fault.h"
#include "common/proof/nonfinite_outputs.h"
#include "common/proof/operator_trace.h"
#include "common/status/status_macros.h"

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

// `call` of `expected`, run on the tensors of `actual`, which are equal to its own but for their places in memory.
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

// The operator that makes the first value of `call` that is not finite.
std::string FirstNonfinite(const Module& module, const Call& call) {
  for (const OperatorRun& run : TraceOperators([&] { RunExamples(module, {call}).IgnoreError(); })) {
    if (run.makes_nonfinite) return run.call;
  }
  return "";
}

// Counts the values of an output that are not finite, which must be allowed.
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
      "\n  a weight may be wrong there, such as a negative variance, or the dtype too narrow: float16 ends at 65504,"
      " float32 and bfloat16 at 3e38\n  seeded weights may bring a model there where published ones do not"
      "\n  --allow_nonfinite lets such outputs pass"));
}

absl::StatusOr<ComparedOutput> CompareOutput(const Pair& pair, const Call& call, const c10::IValue& expected,
                                             const c10::IValue& actual) {
  ASSIGN_OR_RETURN(Difference difference, CompareValues(expected, actual, call.text));
  ComparedOutput compared{call.text, difference.max_abs, difference.relative, OutputShape(actual)};
  if (difference.relative > kAlignmentTolerance) {
    // A network may magnify rounding without bound: then equal memory must give equal bits.
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

// What came of comparing the calls of a pair, as far as they agree.
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

// The operator that is to blame for the call after those of `failed`, if any is.
absl::StatusOr<absl::optional<OperatorRun>> FindFault(const Pair& pair, const Comparison& failed) {
  return FindUnstableOperator(pair.expected, pair.examples[failed.outputs.size()]);
}

// Whether it is without oneDNN, too, that a kernel does not agree with itself; else what is wrong with the modules.
absl::Status ExplainWithoutOneDnn(const Pair& pair, const Comparison& failed) {
  if (absl::IsFailedPrecondition(failed.status)) return failed.status;
  const WithoutOneDnn without;
  ASSIGN_OR_RETURN(const absl::optional<OperatorRun> fault, FindFault(pair, failed));
  if (!fault) return failed.status;
  if (fault->is_random) {
    return absl::InvalidArgumentError(
        absl::StrCat(fault->call, " is random, and what is random cannot be compared: take it out of the text"));
  }
  return absl::UnavailableError(absl::StrCat("nothing can be proven on this machine: ", fault->call, kFaultVerdict,
                                             " here, without oneDNN too; take another machine or --dtype"));
}

}  // namespace

absl::StatusOr<ComparedOutputs> CompareOutputs(const Module& expected, const Module& actual,
                                               const std::vector<Call>& examples,
                                               const std::vector<c10::IValue>& expected_outputs,
                                               const std::vector<c10::IValue>& outputs, bool allow_nonfinite) {
  const Pair pair{expected, actual, examples, allow_nonfinite};
  Comparison compared = CompareEach(pair, expected_outputs, outputs);
  if (compared.status.ok()) return ComparedOutputs{std::move(compared.outputs), ""};
  // A kernel may be at fault: what agrees without oneDNN is no fault of the modules.
  ASSIGN_OR_RETURN(Comparison without, CompareWithoutOneDnn(pair));
  if (!without.status.ok()) return ExplainWithoutOneDnn(pair, without);
  ASSIGN_OR_RETURN(const absl::optional<OperatorRun> fault, FindFault(pair, compared));
  // Rounding alone can make the difference between the largest number and infinity.
  if (!fault && absl::IsFailedPrecondition(compared.status)) return compared.status;
  const std::string culprit = fault ? fault->call : "a kernel of oneDNN";
  return ComparedOutputs{std::move(without.outputs), absl::StrCat(culprit, kFaultVerdict)};
}

}  // namespace modelport
