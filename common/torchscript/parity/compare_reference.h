#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_COMPARE_REFERENCE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_COMPARE_REFERENCE_H_

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/tensor/shape.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/parity/stage.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// How far a tensor is from the one expected. All but the counts are computed in float64.
struct Measures {
  double max_abs = 0;   // Largest absolute difference of two elements; infinite if some are not finite.
  double mean_abs = 0;  // Mean absolute difference.
  double scale = 0;     // Largest absolute element expected.
  double cosine = 1;    // Of the angle between both, as vectors; 1 if both are zero.
  double snr = 0;   // Signal-to-noise ratio in dB: energy expected over energy of the difference; infinite if equal.
  int64_t nan = 0;  // Elements of the tensor that are NaN.
  int64_t infinite = 0;  // Elements of the tensor that are infinite.

  // max_abs as a part of scale; 0 if both are 0.
  double relative() const;
};

// Compares two tensors of equal shape.
Measures Measure(const at::Tensor& expected, const at::Tensor& actual);

// How much an element may differ if rounding differs by `noise` between float64 and the dtype `type` of the reference,
// whose largest absolute element is `scale`: 4 times the noise, but at least 4e-6 and at most 1e-3 of the scale. In
// float16 and bfloat16 the bounds are 1 and 16 of the dtype's epsilon, where these are more. Tensors that are not
// floating must be equal: 0.
double Tolerance(double noise, double scale, at::ScalarType type);

// The most that rounding in the dtype `type` is taken for where `calls` calls of submodules have begun and the largest
// absolute element is `scale`: 8 of the dtype's epsilon of it for one call, and more by the root of their number, as
// errors that know nothing of each other add up. Right models of the catalog have less than a quarter of that.
double MostRounding(int calls, double scale, at::ScalarType type);

// tensor[slice] as numpy has it, for slices of the form "[a:b, ::c, :]" with numbers from 0 and steps from 1; "" is the
// whole tensor. InvalidArgument for another form, or more dimensions than the tensor has.
absl::StatusOr<at::Tensor> Slice(at::Tensor tensor, absl::string_view slice);

// A tensor of a reference and the module's own.
struct ComparedTensor {
  std::string name;           // As in Reference::expected.
  ObservedTensor point = {};  // Where it passes.
  Shape shape = {};           // Of the reference's.
  // Of the module's own, where it has the same elements in the same order in another shape; else empty.
  Shape own_shape = {};
  bool is_given = false;        // Whether the reference's tensor replaced the module's own.
  bool has_other_form = false;  // Whether the two differ in the number of elements, or in the kind of dtype.
  Measures measures = {};
  double tolerance = 0;  // What measures.max_abs may be at most.
  // Why the two cannot be compared element by element: "wants shape [1, 28], has [1, 56]"; empty if they can.
  std::string obstacle = "";
  at::Tensor expected = {}, actual = {};  // With CompareOptions::keep_tensors; else undefined.

  bool passed() const { return obstacle.empty() && measures.max_abs <= tolerance; }

  // Whether it is an argument of a call, and not what one returns.
  bool is_input() const { return !point.is_result && point.stage.side == Stage::Side::kInput; }
};

struct ReferenceComparison {
  // In the order in which the module computes them. Among them are arguments of calls that are no tensors and not what
  // the reference gives, in front of what the call takes, with an obstacle, where the call's result differs.
  std::vector<ComparedTensor> tensors;
  std::vector<std::string> unexpected;    // Outputs of the module that the reference lacks: "output.sky".
  std::vector<std::string> not_computed;  // Stages of the reference that the module does not pass.
  // Of a lenient comparison: the methods that the module calls more or less often than the reference tells, whose calls
  // are not paired: "norm: 12 calls, the reference has 4".
  std::vector<std::string> other_calls = {};
  std::map<std::string, int> called_otherwise = {};  // How often the reference tells of each, by path and method.
  // Of a lenient comparison in which all outputs pass: what is between modules in another form than the reference's,
  // which is no fault, since the same comes out, and is not among `tensors`: by name, "wants Long [2, 21], has ...".
  std::map<std::string, std::string> other_forms = {};
};

struct CompareOptions {
  // How far elements may be from the reference's, as a part of the tensor's largest element; measured if not given.
  absl::optional<double> tolerance = absl::nullopt;
  // Whether the reference may be in another floating dtype, have tensors in another shape with the same elements, and
  // expect stages that the module lacks or calls more or less often.
  bool lenient = false;
  // Names of stages of which the reference's tensor replaces the module's own: an output, or, for the name of an input,
  // all inputs of that call.
  std::vector<std::string> inject = {};
  // Of a lenient comparison that injects: one of the same module and reference that does not, which spares a run.
  const ReferenceComparison* own = nullptr;
  bool inject_all = false;  // The same for all stages: each module then works on the reference's tensors alone.
  // The stage from which on the module computes, as far as the reference has the results of what comes before: "" for
  // the whole module. Stages before it are then not compared.
  std::string from_stage = "";
  bool keep_tensors = false;  // Whether the comparison holds the tensors themselves.
};

// Calls `module` as `reference` says and compares what passes and what comes out.
//
// A difference may be as large as rounding in other kernels makes it. Rounding is measured: the largest difference
// between the module, in the reference's floating dtype, and a copy in float64, on the same input; it is at most what
// the reference states as its noise or, if it states none, MostRounding, which a fault widens only by the calls of
// submodules that it adds. Tolerance() tells what follows from it: the reference's values have no part in that but
// their largest element. Elements that are small beside it by what they are, such as a camera's principal point beside
// its focal length, are also held to a thousandth of the largest of their kind or, where that is more, a thousand times
// the rounding measured there.
//   InvalidArgument     no such method, argument or output; an argument that is missing or of another type or dtype; a
//                       stage to inject or to begin at that the reference lacks
//   NotFound            a stage that is not called
//   FailedPrecondition  the module fails on these inputs, does not run in float64 (a given tolerance cures that, or
//                       a reference that states all noise), or, unless the comparison is lenient, calls a stage more
//                       often than the reference tells
absl::StatusOr<ReferenceComparison> CompareReference(const torch::jit::Module& module, const Reference& reference,
                                                     const CompareOptions& options = {});

// The same for `module` with the knobs that `reference` sets (WithKnobs).
absl::StatusOr<ReferenceComparison> CompareWithKnobs(const torch::jit::Module& module, const Reference& reference,
                                                     const CompareOptions& options = {});

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_COMPARE_REFERENCE_H_
