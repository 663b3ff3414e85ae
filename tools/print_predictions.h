#ifndef MODELPORT_TOOLS_PRINT_PREDICTIONS_H_
#define MODELPORT_TOOLS_PRINT_PREDICTIONS_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "pipeline/predict/load_artifact.h"
#include "pipeline/predict/predict_images.h"

namespace modelport {

// Prints what ran on what and what was written: the table that ends a run of predict. `remarks` say where the artifact
// came from.
void PrintPredictions(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs,
                      const std::vector<PredictedImage>& images, const std::vector<std::string>& remarks,
                      absl::Duration time, std::ostream& out);

// OK if no image failed. The error of the only image if there is one; else the code of the first failure, how many
// failed, and the first few of them.
absl::Status FailuresOf(const std::vector<PredictedImage>& images);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PRINT_PREDICTIONS_H_
