#include "tools/predict/predict_images.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/softmax.h>

#include <algorithm>
#include <deque>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/io/output_file.h"
#include "common/progress/progress.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/torch_status.h"
#include "tools/image/encode_png.h"
#include "tools/image/picture.h"
#include "tools/image/read_image.h"
#include "tools/image/transfer.h"
#include "tools/predict/run/run_model.h"

namespace modelport {
namespace {

constexpr int64_t kBestLabels = 5;

// The names of the classes; none if the artifact has no method for them.
absl::StatusOr<std::vector<std::string>> ClassNames(const LoadedArtifact& artifact, int64_t classes) {
  const auto method = artifact.module.find_method("labels");
  if (!method) return std::vector<std::string>();
  const absl::StatusOr<c10::IValue> result = CatchTorch([&] { return (*method)({}); });
  if (!result.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(artifact.path, ": labels(): ", result.status().message()));
  }
  if (!result->isList() || result->toList().elementType()->kind() != c10::TypeKind::StringType) {
    return absl::FailedPreconditionError(
        absl::StrCat(artifact.path, ": labels() wants to give List[str], gives ", result->type()->annotation_str()));
  }
  std::vector<std::string> names;
  for (const c10::IValue& name : result->toListRef()) names.push_back(name.toStringRef());
  if (names.empty() || static_cast<int64_t>(names.size()) == classes) return names;
  return absl::FailedPreconditionError(
      absl::StrCat(artifact.path, ": labels() wants a name for each of ", classes, " classes, gives ", names.size()));
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
  for (std::string& note : NotesOn(path, prediction, artifact, style)) done.notes.push_back(std::move(note));
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

absl::StatusOr<std::vector<Label>> BestLabels(const LoadedArtifact& artifact, const at::Tensor& scores) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, ClassNames(artifact, scores.size(0)));
  return CatchTorch([&] {
    const auto [values, indices] = at::softmax(scores, 0).topk(std::min(kBestLabels, scores.size(0)));
    std::vector<Label> labels;
    for (int64_t i = 0; i < values.size(0); ++i) {
      const int64_t index = indices[i].item<int64_t>();
      labels.push_back({index, values[i].item<double>(), names.empty() ? "" : names[index]});
    }
    return labels;
  });
}

std::vector<PredictedImage> PredictImages(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs,
                                          const PredictOptions& options) {
  // Frames take the same time, whatever the sizes of their files.
  Progress progress("predict", static_cast<int64_t>(jobs.size()), StderrScreen(), "image");
  progress.Show();
  std::vector<PredictedImage> images;
  for (const PredictJob& job : jobs) {
    PredictedImage& done = images.emplace_back(PredictedImage{.input = job.input});
    done.status = PredictOne(artifact, job, options, done);
    progress.Add(1);
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

absl::StatusOr<at::Tensor> ReadTrimap(const std::string& path, int64_t max_pixels) {
  if (path.empty()) return at::Tensor();
  ASSIGN_OR_RETURN(const ReadImageResult read, ReadImage(path, max_pixels));
  const Image& image = read.image;
  return std::visit(
      [&](const auto& rgb) -> absl::StatusOr<at::Tensor> {
        using Value = typename std::decay_t<decltype(rgb)>::value_type;
        at::Tensor trimap = at::empty({1, image.height, image.width}, c10::CppTypeToScalarType<Value>::value);
        Value* to = trimap.mutable_data_ptr<Value>();
        for (size_t i = 0; i < rgb.size(); i += 3) {
          if (rgb[i] != rgb[i + 1] || rgb[i] != rgb[i + 2]) {
            return absl::InvalidArgumentError(absl::StrCat(
                path,
                ": a trimap is grey (black background, white foreground, unknown between); this is a colour image"));
          }
          *to++ = read.was_linear ? static_cast<Value>(SrgbToLinear(rgb[i])) : rgb[i];
        }
        return trimap;
      },
      image.pixels);
}

}  // namespace modelport
