#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_PROVE_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_PROVE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "artifact/format/onnx/convert.h"
#include "artifact/format/onnx/openvino.h"
#include "common/expression/expression.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/proof/proof_result.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport::onnx {

// Outputs may differ from the module's by this fraction of their range, as runtimes add in other orders. Where they
// differ by more, they may be as far as kNoiseFactor times the module's own outputs are from those that it computes in
// float64, but at most MostNoise. A difference of kRoundings of the largest element is none, whatever the range.
inline constexpr double kTolerance = 1e-5;
inline constexpr double kRoundings = 8;
inline constexpr double kNoiseFactor = 4;

// What is left of a result in float32 has three digits, and in float16, whose steps are 1e-3, is within a twentieth.
inline double MostNoise(at::ScalarType weights) { return weights == at::kHalf ? 0.05 : 1e-3; }

// The difference of kRoundings in this type, for elements of at most this magnitude.
inline double MostRounding(at::ScalarType type, double largest) { return kRoundings * Epsilon(type) * largest; }

// The calls that prove a file: those of `examples` that give the inputs of `converted` and no other argument than its
// default, and one of other sizes than an example's, where the file leaves them free.
//   InvalidArgument  no example calls the method
absl::StatusOr<std::vector<Call>> CallsFor(const ConvertedModel& converted, const torch::jit::Module& module,
                                           const EntryPoint& entry_point, const std::vector<Call>& examples);

// Runs `file`, which was made of `converted`, and compares it with `module`.
//   DataLoss  names the first output that differs
//   others    as RunExamples and CallsFor
absl::StatusOr<RoundTrip> ProveFile(const ConvertedModel& converted, const torch::jit::Module& module,
                                    const EntryPoint& entry_point, OpenVinoModel file,
                                    const std::vector<Call>& examples, bool allow_nonfinite);

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_PROVE_H_
