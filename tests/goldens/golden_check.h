// Compares an artifact with golden cases, stage by stage.
#ifndef MODELPORT_TESTS_GOLDENS_GOLDEN_CHECK_H_
#define MODELPORT_TESTS_GOLDENS_GOLDEN_CHECK_H_

#include <cmath>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/keymap/key_pattern.h"
#include "common/torchscript/script/module_fwd.h"
#include "tests/goldens/golden_case.h"

namespace modelport {

// How a tensor is compared.
struct StageComparison {
  double factor = 1;                             // Of the measured noise.
  double unmeasured = 2.5e-6;                    // The noise where none was measured, as a part of the largest element.
  absl::optional<double> focal = absl::nullopt;  // Camera matrices: what an element may differ by, as a part of itself.
};

// Rows of a table models/FAMILY/stages.txt, which tests/goldens/README.md describes.
struct StageRow {
  std::string owner;
  KeyPattern golden;
  std::string call;
  std::string stage;
  std::string element;
  StageComparison comparison;
};

struct ArgumentRow {
  std::string owner;
  std::string golden_case;
  std::string argument;
  std::string value;
};

struct GoldenTable {
  std::vector<StageRow> stages;
  std::vector<ArgumentRow> arguments;
};

// The rows of those of the tables `paths` that exist, in this order.
//   InvalidArgument  a row of another form
//   NotFound         none exists
absl::StatusOr<GoldenTable> ReadGoldenTables(const std::vector<std::string>& paths);

// How far one stage of an artifact is from the golden.
struct StageResult {
  std::string stage;
  double difference = 0;  // Largest absolute difference; infinite if the shapes differ.
  double tolerance = 0;  // What rounding in other kernels may amount to: common/torchscript/parity/compare_reference.h,
                         // from the noise.

  // Never where a difference is infinite or no number.
  bool ok() const { return std::isfinite(difference) && difference <= tolerance; }
};

// Runs `module`, of `family`, on the case's input and compares every stage of the case but those that went in.
//   InvalidArgument  a row of the table of another form
//   NotFound         a stage that the table does not have, or that is not called
absl::StatusOr<std::vector<StageResult>> CheckGolden(const torch::jit::Module& module, absl::string_view family,
                                                     const GoldenCase& golden, const GoldenTable& table);

// The arguments of `method` by name, in order: the case's, and the defaults of those that it leaves out.
std::vector<c10::IValue> ArgumentsByName(const torch::jit::Module& module, const std::string& method,
                                         const GoldenCase& golden);

}  // namespace modelport

#endif  // MODELPORT_TESTS_GOLDENS_GOLDEN_CHECK_H_
