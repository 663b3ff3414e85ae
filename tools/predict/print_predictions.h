#ifndef MODELPORT_TOOLS_PREDICT_PRINT_PREDICTIONS_H_
#define MODELPORT_TOOLS_PREDICT_PRINT_PREDICTIONS_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "nlohmann/json_fwd.hpp"
#include "tools/predict/predict_images.h"
#include "tools/predict/run/load_artifact.h"
#include "tools/predict/run/run_model.h"
#include "tools/predict/scene/scene.h"

namespace modelport {

// What a run of predict did.
struct PredictionReport {
  std::vector<std::string> remarks;  // Which model and weights were chosen, if the flags did not.
  std::vector<std::string> notes;    // What was left out of the input.
  std::vector<PredictJob> jobs;
  std::vector<PredictedImage> images;  // Of the jobs, in their order.
  SceneOutputs scene;                  // What was written about all views together.
  SceneCounts counts;
  absl::Duration time;
};

// Prints what ran on what and what was written: the table that ends a run.
void PrintPredictions(const LoadedArtifact& artifact, const PredictionReport& report, std::ostream& out);

// The same for a program, as docs/json.md says.
nlohmann::ordered_json PredictionsReport(const LoadedArtifact& artifact, const PredictionReport& report);

// Prints what one image costs.
void PrintBenchmark(const LoadedArtifact& artifact, const PredictedImage& image, const Benchmark& benchmark,
                    std::ostream& out);

// The same for a program.
nlohmann::ordered_json BenchmarkReport(const LoadedArtifact& artifact, const PredictedImage& image,
                                       const Benchmark& benchmark);

// OK if no image failed. The error of the only image if there is one; else the code of the first failure, how many
// failed, and the first few of them.
absl::Status FailuresOf(const std::vector<PredictedImage>& images);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_PRINT_PREDICTIONS_H_
