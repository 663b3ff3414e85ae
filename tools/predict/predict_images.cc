#include "tools/predict/predict_images.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/digest/sha256.h"
#include "common/io/output_file.h"
#include "common/manifest/manifest_facts.h"
#include "common/progress/progress.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/torch_status.h"
#include "tools/image/picture.h"
#include "tools/image/read_image.h"
#include "tools/image/transfer.h"
#include "tools/predict/pictures/pictures.h"
#include "tools/predict/shot_state.h"

namespace modelport {
namespace {

constexpr int64_t kBestLabels = 5;

// Opens the output, so that a folder that cannot be written is found before the model runs.
absl::Status OpenOutput(const std::string& path, std::deque<OutputFile>& files) {
  if (path.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  files.push_back(std::move(file));
  return absl::OkStatus();
}

// The grey of an image as [1, H, W], bytes or floats in 0..1, as the file holds them: those of EXR and floating TIFF
// files are not converted to sRGB. Undefined if red, green and blue differ.
at::Tensor GreyOf(const ReadImageResult& read) {
  const Image& image = read.image;
  return std::visit(
      [&](const auto& rgb) {
        using Value = typename std::decay_t<decltype(rgb)>::value_type;
        at::Tensor grey = at::empty({1, image.height, image.width}, c10::CppTypeToScalarType<Value>::value);
        Value* to = grey.mutable_data_ptr<Value>();
        for (size_t i = 0; i < rgb.size(); i += 3) {
          if (rgb[i] != rgb[i + 1] || rgb[i] != rgb[i + 2]) return at::Tensor();
          *to++ = read.was_linear ? static_cast<Value>(SrgbToLinear(rgb[i])) : rgb[i];
        }
        return grey;
      },
      image.pixels);
}

bool IsOpaque(const ReadImageResult& alpha) {
  return std::visit(
      [](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        const Value full = std::is_floating_point_v<Value> ? 1 : 255;
        return std::all_of(values.begin(), values.end(), [&](Value value) { return value >= full; });
      },
      alpha.image.pixels);
}

// Reads a trimap, 0 for background, 1 for foreground and anything between for unknown: the alpha of an image or, where
// it has none or is opaque, its grey. Returns it as GreyOf does. `is_own`: it is the image that the matte is of, which
// is no trimap by its colours. Adds what the user has to know to `notes`. Errors are those of ReadImage, and
//   InvalidArgument   the image has neither
absl::StatusOr<at::Tensor> ReadTrimap(const std::string& path, bool is_own, int64_t max_pixels,
                                      std::set<std::string>& notes) {
  const absl::StatusOr<ReadImageResult> alpha = ReadAlpha(path, max_pixels);
  if (alpha.ok() && (is_own || !IsOpaque(*alpha))) {
    for (const std::string& note : alpha->notes) {
      if (absl::EndsWith(note, "taken as 0")) notes.insert(absl::StrCat("trimap: ", note));
    }
    return GreyOf(*alpha);
  }
  if (!alpha.ok() && !absl::IsFailedPrecondition(alpha.status())) return alpha.status();
  if (is_own) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": has no alpha to take the trimap from; give --trimap another file, grey or with the trimap in alpha"));
  }
  ASSIGN_OR_RETURN(const ReadImageResult read, ReadImage(path, max_pixels));
  at::Tensor grey = GreyOf(read);
  if (grey.defined()) return grey;
  return absl::InvalidArgumentError(absl::StrCat(
      path,
      ": a trimap is grey or in alpha (black or 0 is background, white or 1 foreground, unknown between); this is ",
      "a colour image ", alpha.ok() ? "whose alpha is 1 everywhere" : "without alpha"));
}

// Reads the companion of a job, [1, h, w]; undefined for a model that takes none. Adds what the user has to know to
// `notes`.
absl::StatusOr<at::Tensor> ReadCompanion(const PredictJob& job, int64_t max_pixels, std::set<std::string>& notes) {
  if (job.kind == Companion::kNone) return at::Tensor();
  if (job.kind == Companion::kTrimap) {
    std::error_code error;
    const bool is_own = std::filesystem::equivalent(job.companion, job.input, error);
    if (is_own) notes.erase(kAlphaIgnored);
    return ReadTrimap(job.companion, is_own, max_pixels, notes);
  }
  ASSIGN_OR_RETURN(const ReadDepthResult depth, ReadDepth(job.companion, max_pixels));
  notes.insert(depth.notes.begin(), depth.notes.end());
  return CatchTorch([&] { return at::tensor(depth.metres).reshape({1, depth.height, depth.width}); });
}

// The inputs of a job, for a message.
std::string Named(const PredictJob& job) {
  switch (job.others.size()) {
    case 0:
      return job.input;
    case 1:
      return absl::StrCat(job.input, " and ", job.others[0]);
    default:
      return absl::StrCat(job.input, " and the frames around it");
  }
}

// Fills `done` and writes to the last of `files`, without committing it.
absl::Status Write(const LoadedArtifact& artifact, const Image& image, const Prediction& prediction,
                   const std::string& path, const OutputStyle& style, PredictedImage& done, OutputFile* file) {
  if (prediction.scores.defined()) {
    ASSIGN_OR_RETURN(done.labels, BestLabels(artifact, prediction.scores));
  }
  if (prediction.depth.defined()) done.depth = RangeOf(prediction.depth, 0, 100);
  if (prediction.colour.defined()) {
    done.colour = absl::StrCat(prediction.colour.size(2), " x ", prediction.colour.size(1));
  }
  if (prediction.flow.defined()) done.motion = LongestMotion(prediction.onward());
  if (file == nullptr) return absl::OkStatus();
  const absl::StatusOr<std::string> bytes = EncodePrediction(path, image, prediction, artifact, style);
  if (!bytes.ok()) return Annotate(bytes.status(), path);
  for (std::string& note : NotesOn(path, prediction, artifact, style)) done.notes.push_back(std::move(note));
  return file->Write(*bytes);
}

// Runs the compared artifact, too. Fills `done` and writes to `file`, without committing it.
absl::Status Compare(const LoadedArtifact& artifact, const PredictJob& job, const PredictOptions& options,
                     const ModelInput& input, const Prediction& prediction, PredictedImage& done, OutputFile* file) {
  const auto others = RunModel(*options.compared, input);
  if (!others.ok()) return Annotate(others.status(), absl::StrCat(options.compared->path, ": ", Named(job)));
  const absl::StatusOr<PredictionDifference> difference = ComparePredictions(prediction, others->front());
  if (!difference.ok()) return Annotate(difference.status(), options.compared->path);
  done.difference = *difference;
  if (file == nullptr) return absl::OkStatus();
  const auto bytes =
      EncodeComparison(job.output, input.images[0], prediction, others->front(), artifact, options.style);
  return bytes.ok() ? file->Write(*bytes) : Annotate(bytes.status(), job.output);
}

// `read` is of the job before.
absl::Status PredictOne(const LoadedArtifact& artifact, const PredictJob& job, const PredictOptions& options,
                        JobInput& read, PredictedImage& done) {
  std::deque<OutputFile> files, overlays;
  RETURN_IF_ERROR(OpenOutput(job.output, files));
  RETURN_IF_ERROR(OpenOutput(job.overlay, overlays));
  RETURN_IF_ERROR(ReadJob(job, options, read, done));
  const ModelInput input = ForModel(read, job, options);
  const absl::StatusOr<std::vector<Prediction>> predictions = RunModel(artifact, input);
  if (!predictions.ok()) return Annotate(predictions.status(), Named(job));
  OutputFile* const file = files.empty() ? nullptr : &files[0];
  if (options.compared == nullptr) {
    RETURN_IF_ERROR(Write(artifact, read.images[0], predictions->front(), job.output, options.style, done, file));
  } else {
    RETURN_IF_ERROR(Compare(artifact, job, options, input, predictions->front(), done, file));
  }
  if (!overlays.empty()) {
    OutputStyle style;
    style.side_by_side = true;
    const auto bytes = EncodePrediction(job.overlay, read.images[0], predictions->front(), artifact, style);
    if (!bytes.ok()) return Annotate(bytes.status(), job.overlay);
    RETURN_IF_ERROR(overlays[0].Write(*bytes));
  }
  // Both are whole before either is there.
  if (!overlays.empty()) RETURN_IF_ERROR(overlays[0].Commit());
  return file == nullptr ? absl::OkStatus() : file->Commit();
}

std::string TextOf(const absl::optional<ValueRange>& range) {
  return range ? absl::StrFormat("%.17g,%.17g", range->min, range->max) : "own";
}

// What runs on what, as a digest: the artifact, its weights, the frames, where they go and how they are drawn.
std::string RunOf(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs, const PredictOptions& options) {
  Sha256 digest;
  digest.Update(artifact.manifest.SerializeAsString());
  digest.Update(absl::StrCat("\n", options.size.value_or(0)));
  const OutputStyle& style = options.style;
  digest.Update(absl::StrCat("\n", style.side_by_side, style.normals, style.flow, " ", TextOf(style.range)));
  if (const auto& colours = style.colours) {
    // A colour map has no name here; its colour of one value tells it from others.
    const Rgb colour = colours->map(0.25);
    digest.Update(absl::StrFormat("\n%d %d %d %.17g %.17g %s", colour[0], colour[1], colour[2], colours->low,
                                  colours->high, TextOf(colours->range)));
  }
  for (const PredictJob& job : jobs) digest.Update(absl::StrCat("\n", job.input, "\n", job.output));
  return digest.HexDigest();
}

// The frames of a shot, of which `done` gets a row each.
class ShotJobs {
 public:
  ShotJobs(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs, const PredictOptions& options,
           std::vector<PredictedImage>& done)
      : artifact_(artifact),
        jobs_(jobs),
        options_(options),
        style_(options.style),
        done_(done),
        shot_(artifact, options.size) {
    if (!options.resume.empty()) folder_.emplace(options.resume, RunOf(artifact, jobs, options));
  }

  // Goes on from what the folder of the option `resume` has, if it has something.
  absl::Status Resume() {
    if (!folder_) return absl::OkStatus();
    if (!shot_.works_frame_by_frame()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--resume: ", artifact_.path,
          " takes all frames of a shot at once, so that there is nothing to go on from\n  leave it out; the "
          ".pt file of the model takes them one by one"));
    }
    ASSIGN_OR_RETURN(ShotState state, folder_->Read());
    if (state.taken >= jobs_.size()) state = ShotState();
    for (written_ = 0; written_ < state.written; ++written_) {
      done_.push_back({.input = jobs_[written_].input, .notes = {"written by the run before"}});
    }
    while (done_.size() < state.taken) RETURN_IF_ERROR(ReadNext());
    for (size_t i = 0; i < state.written && !unfinished_.empty(); ++i) {
      std::tie(done_[i].width, done_[i].height) = std::tie(unfinished_[0].width, unfinished_[0].height);
    }
    shot_.set_state(std::move(state.tensors));
    if (state.range) SetRange(*state.range);
    return absl::OkStatus();
  }

  // Takes the next frame and writes those that it finishes. An error says how many were written before it.
  absl::Status Add() {
    const absl::Status status = AddNext();
    return status.ok()
               ? status
               : absl::Status(status.code(), absl::StrCat(status.message(), "\n  written before that: ", written_,
                                                          " of ", jobs_.size(), " frames"));
  }

 private:
  absl::Status ReadNext() {
    const PredictJob& job = jobs_[done_.size()];
    JobInput read;
    RETURN_IF_ERROR(ReadJob(job, options_, read, done_.emplace_back(PredictedImage{.input = job.input})));
    unfinished_.push_back(std::move(read.images[0]));
    return absl::OkStatus();
  }

  // Depth is of one scale over a shot, and so are its pictures: the first frames that are finished set it, unless the
  // flags did or the model's unit does.
  void ChooseRange(const std::vector<Prediction>& predictions) {
    if (range_ || !style_.is_one_of_several || !HasOwnScale(jobs_[0].output, artifact_, style_)) return;
    std::vector<at::Tensor> maps;
    for (const Prediction& prediction : predictions) {
      if (prediction.depth.defined()) maps.push_back(prediction.depth);
    }
    const auto& colours = style_.colours;
    const auto range = CommonRange(maps, colours ? colours->low : 0, colours ? colours->high : 100);
    if (range) SetRange(*range);
  }

  void SetRange(const ValueRange& range) {
    range_ = style_.range = range;
    if (style_.colours) style_.colours->range = range;
  }

  absl::Status AddNext() {
    std::deque<OutputFile> files;
    // An output that cannot be written is told before a frame runs.
    if (done_.empty()) RETURN_IF_ERROR(OpenOutput(jobs_[0].output, files));
    RETURN_IF_ERROR(ReadNext());
    const bool is_last = done_.size() == jobs_.size();
    const auto predictions = shot_.Add(unfinished_, is_last);
    if (!predictions.ok()) return Annotate(predictions.status(), jobs_[done_.size() - 1].input);
    ChooseRange(*predictions);
    for (size_t i = 0; i < predictions->size(); ++i, ++written_) {
      const std::string& output = jobs_[written_].output;
      if (files.empty()) RETURN_IF_ERROR(OpenOutput(output, files));
      OutputFile* const file = files.empty() ? nullptr : &files[0];
      RETURN_IF_ERROR(Write(artifact_, unfinished_[i], (*predictions)[i], output, style_, done_[written_], file));
      if (range_) {
        done_[written_].notes.push_back(
            absl::StrFormat("all files have the scale of the first ones, %.4g to %.4g; --range=MIN,MAX takes another, "
                            "and .exr keeps the model's depth",
                            range_->min, range_->max));
      }
      if (file != nullptr) RETURN_IF_ERROR(file->Commit());
      files.clear();
    }
    unfinished_.erase(unfinished_.begin(), unfinished_.begin() + static_cast<int64_t>(predictions->size()));
    if (folder_ && is_last) folder_->Remove();
    if (!folder_ || is_last || predictions->empty()) return absl::OkStatus();
    return folder_->Write({done_.size(), written_, shot_.state(), range_});
  }

  const LoadedArtifact& artifact_;
  const std::vector<PredictJob>& jobs_;
  const PredictOptions& options_;
  OutputStyle style_;
  absl::optional<ValueRange> range_;  // That the first frames have set.
  std::vector<PredictedImage>& done_;
  ShotRun shot_;
  absl::optional<ShotStateFolder> folder_;
  std::vector<Image> unfinished_;  // Those of `done_` that are not written.
  size_t written_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<Label>> BestLabels(const LoadedArtifact& artifact, const at::Tensor& scores) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, ClassNames(artifact));
  if (!names.empty() && static_cast<int64_t>(names.size()) != scores.size(0)) {
    return absl::FailedPreconditionError(absl::StrCat(artifact.path, ": labels() wants a name for each of ",
                                                      scores.size(0), " classes, gives ", names.size()));
  }
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
  JobInput read;
  for (const PredictJob& job : jobs) {
    PredictedImage& done = images.emplace_back(PredictedImage{.input = job.input});
    done.status = PredictOne(artifact, job, options, read, done);
    progress.Add(1);
  }
  return images;
}

absl::Status PredictShot(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs,
                         const PredictOptions& options, std::vector<PredictedImage>& done) {
  // Frames wait for those after them, so what is shown is how many are read.
  Progress progress("predict", static_cast<int64_t>(jobs.size()), StderrScreen(), "image");
  progress.Show();
  ShotJobs shot(artifact, jobs, options, done);
  RETURN_IF_ERROR(shot.Resume());
  progress.Add(static_cast<int64_t>(done.size()));
  while (done.size() < jobs.size()) {
    RETURN_IF_ERROR(shot.Add());
    progress.Add(1);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<View>> PredictViews(const LoadedArtifact& artifact, const std::vector<PredictJob>& jobs,
                                               const PredictOptions& options, std::vector<PredictedImage>& done) {
  std::deque<OutputFile> files;
  std::vector<Image> images;
  for (const PredictJob& job : jobs) {
    PredictedImage& one = done.emplace_back(PredictedImage{.input = job.input});
    RETURN_IF_ERROR(OpenOutput(job.output, files));
    JobInput read;
    RETURN_IF_ERROR(ReadJob(job, options, read, one));
    images.push_back(std::move(read.images[0]));
  }
  ASSIGN_OR_RETURN(std::vector<Prediction> predictions, RunModel(artifact, {.images = images, .size = options.size}));
  std::vector<View> views;
  for (size_t i = 0; i < jobs.size(); ++i) {
    OutputFile* const file = files.empty() ? nullptr : &files[i];
    RETURN_IF_ERROR(Write(artifact, images[i], predictions[i], jobs[i].output, options.style, done[i], file));
    views.push_back({jobs[i].input, std::move(images[i]), std::move(predictions[i])});
  }
  for (OutputFile& file : files) RETURN_IF_ERROR(file.Commit());
  return views;
}

absl::Status ReadJob(const PredictJob& job, const PredictOptions& options, JobInput& input, PredictedImage& done) {
  std::vector<std::string> paths = {job.input};
  paths.insert(paths.end(), job.others.begin(), job.others.end());
  std::map<std::string, ReadImageResult> known;
  for (size_t i = 0; i < input.images.size(); ++i) {
    const bool is_wanted = std::find(paths.begin(), paths.end(), input.paths[i]) != paths.end();
    if (is_wanted) known[input.paths[i]] = {.image = std::move(input.images[i]), .notes = std::move(input.notes[i])};
  }
  input = {};
  std::set<std::string> notes;
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    if (known.count(*path) == 0) {
      ASSIGN_OR_RETURN(known[*path], ReadImage(*path, options.max_pixels));
    }
    const bool comes_again = std::find(path + 1, paths.end(), *path) != paths.end();
    ReadImageResult read = comes_again ? known[*path] : std::move(known.extract(*path).mapped());
    notes.insert(read.notes.begin(), read.notes.end());
    input.paths.push_back(*path);
    input.images.push_back(std::move(read.image));
    input.notes.push_back(std::move(read.notes));
  }
  ASSIGN_OR_RETURN(input.companion, ReadCompanion(job, options.max_pixels, notes));
  done.notes = {notes.begin(), notes.end()};
  done.width = input.images[0].width;
  done.height = input.images[0].height;
  return absl::OkStatus();
}

ModelInput ForModel(const JobInput& input, const PredictJob& job, const PredictOptions& options) {
  return {.images = input.images,
          .companion = input.companion,
          .prompt = options.prompt,
          .timestep = job.timestep,
          .flow = options.style.flow,
          .size = options.size,
          .tiles = options.tiles};
}

}  // namespace modelport
