#include "tools/predict/predict_images.h"

#include <deque>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/io/output_file.h"
#include "common/progress/progress.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "tools/image/encode_png.h"
#include "tools/image/picture.h"
#include "tools/image/read_image.h"
#include "tools/predict/read_trimap.h"
#include "tools/predict/run/run_model.h"

namespace modelport {
namespace {

int64_t FileSize(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(size);
}

// Opens the output, so that a folder that cannot be written is found before the model runs.
absl::Status OpenOutput(const std::string& path, std::deque<OutputFile>& files) {
  if (path.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  files.push_back(std::move(file));
  return absl::OkStatus();
}

absl::StatusOr<Image> Read(const std::string& path, const PredictOptions& options, PredictedImage& done) {
  ASSIGN_OR_RETURN(ReadImageResult read, ReadImage(path, options.max_pixels));
  done.notes = std::move(read.notes);
  done.width = read.image.width;
  done.height = read.image.height;
  return std::move(read.image);
}

// The picture of a comparison, for the file `path`.
absl::StatusOr<std::string> EncodeComparison(const std::string& path, const Prediction& prediction,
                                             const Prediction& other, const LoadedArtifact& artifact,
                                             const OutputStyle& style) {
  if (!prediction.depth.defined() || !absl::EndsWithIgnoreCase(path, ".png")) {
    return absl::InvalidArgumentError("a comparison is drawn for models of depth, as .png; leave out --out for others");
  }
  const Picture picture = DrawComparison(prediction.depth, other.depth, *style.colours, artifact.manifest);
  return EncodePng(picture.width(), picture.height(), absl::MakeConstSpan(picture.rgb()), {});
}

// Fills `done` and writes to the last of `files`, without committing it.
absl::Status Write(const LoadedArtifact& artifact, const Image& image, const Prediction& prediction,
                   const std::string& path, const OutputStyle& style, PredictedImage& done, OutputFile* file) {
  if (prediction.scores.defined()) {
    ASSIGN_OR_RETURN(done.labels, BestLabels(artifact, prediction.scores));
  }
  if (prediction.depth.defined()) done.depth = RangeOf(prediction.depth, 0, 100);
  if (file == nullptr) return absl::OkStatus();
  const absl::StatusOr<std::string> bytes = EncodePrediction(path, image, prediction, artifact, style);
  if (!bytes.ok()) return Annotate(bytes.status(), path);
  return file->Write(*bytes);
}

// Runs the compared artifact, too. Fills `done` and writes to `file`, without committing it.
absl::Status Compare(const LoadedArtifact& artifact, const PredictJob& job, const PredictOptions& options,
                     const Image& image, const at::Tensor& trimap, const Prediction& prediction, PredictedImage& done,
                     OutputFile* file) {
  const auto others = RunModel(*options.compared, absl::MakeConstSpan(&image, 1), options.size, trimap);
  if (!others.ok()) return Annotate(others.status(), absl::StrCat(options.compared->path, ": ", job.input));
  const absl::StatusOr<Difference> difference = ComparePredictions(prediction, others->front());
  if (!difference.ok()) return Annotate(difference.status(), options.compared->path);
  done.difference = *difference;
  if (file == nullptr) return absl::OkStatus();
  const auto bytes = EncodeComparison(job.output, prediction, others->front(), artifact, options.style);
  return bytes.ok() ? file->Write(*bytes) : Annotate(bytes.status(), job.output);
}

absl::Status PredictOne(const LoadedArtifact& artifact, const PredictJob& job, const PredictOptions& options,
                        PredictedImage& done) {
  std::deque<OutputFile> files;
  RETURN_IF_ERROR(OpenOutput(job.output, files));
  ASSIGN_OR_RETURN(const Image image, Read(job.input, options, done));
  ASSIGN_OR_RETURN(const at::Tensor trimap, ReadTrimap(job.trimap, options.max_pixels));
  const absl::StatusOr<std::vector<Prediction>> predictions =
      RunModel(artifact, absl::MakeConstSpan(&image, 1), options.size, trimap);
  if (!predictions.ok()) return Annotate(predictions.status(), job.input);
  OutputFile* const file = files.empty() ? nullptr : &files[0];
  if (options.compared == nullptr) {
    RETURN_IF_ERROR(Write(artifact, image, predictions->front(), job.output, options.style, done, file));
  } else {
    RETURN_IF_ERROR(Compare(artifact, job, options, image, trimap, predictions->front(), done, file));
  }
  return file == nullptr ? absl::OkStatus() : file->Commit();
}

}  // namespace

std::vector<PredictedImage> PredictImages(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs,
                                          const PredictOptions& options) {
  int64_t total = 0;
  for (const PredictJob& job : jobs) total += FileSize(job.input);
  Progress progress("predict", total);
  std::vector<PredictedImage> images;
  for (const PredictJob& job : jobs) {
    PredictedImage& done = images.emplace_back(PredictedImage{.input = job.input});
    done.status = PredictOne(artifact, job, options, done);
    progress.Add(FileSize(job.input));
  }
  return images;
}

absl::StatusOr<std::vector<View>> PredictViews(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs,
                                               const PredictOptions& options, std::vector<PredictedImage>& done) {
  std::deque<OutputFile> files;
  std::vector<Image> images;
  for (const PredictJob& job : jobs) {
    PredictedImage& one = done.emplace_back(PredictedImage{.input = job.input});
    RETURN_IF_ERROR(OpenOutput(job.output, files));
    ASSIGN_OR_RETURN(Image image, Read(job.input, options, one));
    images.push_back(std::move(image));
  }
  ASSIGN_OR_RETURN(std::vector<Prediction> predictions, RunModel(artifact, images, options.size));
  std::vector<View> views;
  for (size_t i = 0; i < jobs.size(); ++i) {
    OutputFile* const file = files.empty() ? nullptr : &files[i];
    RETURN_IF_ERROR(Write(artifact, images[i], predictions[i], jobs[i].output, options.style, done[i], file));
    views.push_back({jobs[i].input, std::move(images[i]), std::move(predictions[i])});
  }
  for (OutputFile& file : files) RETURN_IF_ERROR(file.Commit());
  return views;
}

}  // namespace modelport
