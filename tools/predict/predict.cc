// Runs a model on images and writes what it sees as pictures and maps.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/types/optional.h"
#include "artifact/request/artifact_request.h"
#include "common/io/input_record.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/units.h"
#include "models/built_in_plugins.h"
#include "nlohmann/json.hpp"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/command/report.h"
#include "tools/command/tool_call.h"
#include "tools/command/user_path.h"
#include "tools/image/read_image.h"
#include "tools/predict/find_images.h"
#include "tools/predict/predict_images.h"
#include "tools/predict/print_predictions.h"
#include "tools/predict/run/load_artifact.h"
#include "tools/predict/run/prediction.h"
#include "tools/predict/run/run_model.h"
#include "tools/predict/scene/scene.h"
#include "tools/request/export_request.h"
#include "tools/request/host_request.h"

namespace modelport {
namespace {

FlagGroup flags;
Flag<std::string> FLAGS_artifact(
    flags, "artifact", "",
    "an artifact that export --with_preprocess wrote or that is a node for a host, TorchScript or ONNX, instead of a "
    "model; predict runs its code");
Flag<std::string> FLAGS_input(
    flags, "input", "",
    "an image (JPEG, PNG, TIFF or EXR), a folder, a numbered sequence such as plate.%04d.exr, a wildcard in "
    "quotes, or several with commas between");
Flag<std::string> FLAGS_trimap(
    flags, "trimap", "",
    "for a model of mattes: the trimap of the image, grey: black background, white foreground, unknown between; of "
    "several images a folder or a sequence, which has one with the number or the name of each image");
Flag<absl::optional<int64_t>> FLAGS_between(
    flags, "between", absl::nullopt,
    "for a model that makes a frame between two: how many to make between each two images of --input, numbered so that "
    "the images themselves fit between them");
Flag<std::string> FLAGS_missing(flags, "missing", "error",
                                "what to do if a numbered sequence lacks frames between its first and its last: error "
                                "or skip");
Flag<std::string> FLAGS_colours(
    flags, "colours", "",
    "draw depth in colours with a legend: spectral, turbo or grey; by default a .png has 16-bit numbers");
Flag<std::string> FLAGS_percentiles(flags, "percentiles", "0,100",
                                    "the percentiles of the depth that get the first and the last colour");
Flag<std::string> FLAGS_range(flags, "range", "",
                              "MIN,MAX: the depths, in the model's unit, that are 0 and 65535 in a .png, or get the "
                              "first and the last colour; by "
                              "default 0 to 256 metres, or each image's own smallest and largest");
Flag<bool> FLAGS_normals(flags, "normals", false,
                         "draw normals in the place of depth: red right, green up, blue to the camera");
Flag<bool> FLAGS_side_by_side(flags, "side_by_side", false, "draw depth in colours, with the image to its left");
Flag<std::string> FLAGS_cameras(
    flags, "cameras", "",
    "write the cameras of the views to this .json file, or to this new folder as COLMAP's text files");
Flag<std::string> FLAGS_points(flags, "points", "",
                               "write a coloured point cloud of the views to this .ply or .glb file");
Flag<double> FLAGS_conf(flags, "conf", 40, "leave out so many percent of the points, those of the least confidence");
Flag<std::string> FLAGS_compare(
    flags, "compare", "",
    "another artifact: tell how far its outputs are, and draw both and their difference to --out");
Flag<std::string> FLAGS_key(flags, "key", "",
                            "the public key in PEM of whoever signed the files of --artifact and --compare: their "
                            "signatures are checked before "
                            "anything of them runs");
Flag<bool> FLAGS_benchmark(flags, "benchmark", false,
                           "measure the time and memory of one image, instead of writing anything");
Flag<bool> FLAGS_views(flags, "views", false, "take all images as views of one scene, for Depth Anything 3");
Flag<absl::optional<int64_t>> FLAGS_size(
    flags, "size", absl::nullopt,
    "the resolution at which the model works, in pixels or tokens, up to 20 megapixels; by default that of the "
    "published code, up to 4");
Flag<absl::optional<int64_t>> FLAGS_tile(
    flags, "tile", absl::nullopt,
    "for a model that makes images larger: work on pieces of so many pixels a side, such as 512, one after the other, "
    "for less memory; by default on the whole image");
Flag<int64_t> FLAGS_tile_pad(flags, "tile_pad", 32,
                             "with --tile: the pixels around each piece that the model sees, too");
Flag<int64_t> FLAGS_max_megapixels(flags, "max_megapixels", 100, "refuse larger images, before they are decoded");

absl::StatusOr<LoadedArtifact> OpenFile(const std::string& path) {
  return LoadArtifact(ResolveUserPath(path), FLAGS_key->empty() ? "" : ResolveUserPath(*FLAGS_key));
}

// The artifact of --artifact with the knobs of --knob.
absl::StatusOr<LoadedArtifact> OpenNode(const std::string& path) {
  ASSIGN_OR_RETURN(LoadedArtifact artifact, OpenFile(path));
  if (FLAGS_knob->empty()) return artifact;
  ArtifactRequest wanted;
  RETURN_IF_ERROR(SetKnobs(*FLAGS_knob, wanted));
  RETURN_IF_ERROR(TurnKnobs(wanted.knobs, artifact));
  return artifact;
}

// The artifact of --artifact, or that of --model, which is built here.
absl::StatusOr<LoadedArtifact> OpenArtifact(std::vector<std::string>& remarks) {
  const std::string artifact = *FLAGS_artifact;
  if (artifact.empty() == (FLAGS_model->empty() && FLAGS_checkpoint->empty())) {
    return absl::InvalidArgumentError("give one of --model=NAME, --checkpoint=FILE and --artifact=FILE");
  }
  if (!artifact.empty()) return OpenNode(artifact);
  if (!FLAGS_knob->empty()) {
    return absl::InvalidArgumentError("--knob is for nodes of hosts: give --artifact=FILE in the place of --model");
  }
  if (!FLAGS_key->empty() && FLAGS_compare->empty()) {
    return absl::InvalidArgumentError("--key is for signed files: give --artifact=FILE.pt in the place of --model");
  }
  ASSIGN_OR_RETURN(ExportRequest request, ParseExportRequest(BuiltInPlugins()));
  if (FLAGS_model->empty()) {
    for (const absl::string_view line : absl::StrSplit(request.choice, '\n', absl::SkipEmpty())) {
      remarks.emplace_back(line);
    }
  }
  request.options.request.with_preprocess = true;
  return BuildModel(request.registry, request.options.request, request.options.allow_nonfinite);
}

// Two numbers, the smaller first.
absl::optional<ValueRange> ParseRange(const std::string& text) {
  const std::vector<std::string> ends = absl::StrSplit(text, ',');
  ValueRange range;
  const bool parsed =
      ends.size() == 2 && absl::SimpleAtod(ends[0], &range.min) && absl::SimpleAtod(ends[1], &range.max);
  const bool is_range = parsed && std::isfinite(range.min) && std::isfinite(range.max) && range.min < range.max;
  return is_range ? absl::make_optional(range) : absl::nullopt;
}

absl::StatusOr<DepthColours> ParseColours(const std::string& name) {
  const absl::StatusOr<ColourMap> map = FindColourMap(name);
  if (!map.ok()) return Annotate(map.status(), absl::StrCat("--colours=", name));
  DepthColours colours = {.map = *map};
  const std::string percentiles = *FLAGS_percentiles;
  const absl::optional<ValueRange> range = ParseRange(percentiles);
  if (range && 0 <= range->min && range->max <= 100) {
    colours.low = range->min;
    colours.high = range->max;
    colours.range = ParseRange(*FLAGS_range);
    return colours;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--percentiles=", percentiles, ": wants two numbers in 0..100, the smaller first, such as 2,98"));
}

absl::StatusOr<Tiles> ParseTiles(int64_t side, int64_t pad) {
  if (side < kTileStep || side % kTileStep != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--tile=", side, ": wants a multiple of ", kTileStep, ", as 512 is"));
  }
  if (pad < 0 || pad % kTileStep != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--tile_pad=", pad, ": wants 0 or a multiple of ", kTileStep, ", as 32 is"));
  }
  return Tiles{side, pad};
}

absl::StatusOr<PredictOptions> ParsePredictOptions() {
  PredictOptions options;
  constexpr int64_t kMaxMegapixels = 1000;
  const int64_t megapixels = *FLAGS_max_megapixels;
  if (megapixels < 1 || megapixels > kMaxMegapixels) {
    return absl::InvalidArgumentError(
        absl::StrCat("--max_megapixels=", megapixels, ": wants a number in 1..", kMaxMegapixels));
  }
  options.max_pixels = megapixels * 1000000;
  options.size = *FLAGS_size;
  if (options.size && *options.size < 1) {
    return absl::InvalidArgumentError(absl::StrCat("--size=", *options.size, ": wants a number from 1"));
  }
  if (*FLAGS_tile) {
    ASSIGN_OR_RETURN(options.tiles, ParseTiles(**FLAGS_tile, *FLAGS_tile_pad));
  }
  options.style.side_by_side = *FLAGS_side_by_side;
  options.style.normals = *FLAGS_normals;
  const std::string range = *FLAGS_range;
  options.style.range = ParseRange(range);
  if (!range.empty() && !options.style.range) {
    return absl::InvalidArgumentError(
        absl::StrCat("--range=", range, ": wants two numbers, the smaller first, such as 0,80"));
  }
  if (!range.empty() && *FLAGS_percentiles != "0,100") {
    return absl::InvalidArgumentError("--range and --percentiles both choose the scale: give one of them");
  }
  if (!range.empty() && options.style.normals) {
    return absl::InvalidArgumentError("--range is for depth: leave it out with --normals");
  }
  const std::string colours = *FLAGS_colours;
  if (options.style.normals && (!colours.empty() || options.style.side_by_side)) {
    return absl::InvalidArgumentError("--normals has colours of its own: leave out --colours and --side_by_side");
  }
  if (!colours.empty() || options.style.side_by_side) {
    ASSIGN_OR_RETURN(options.style.colours, ParseColours(colours.empty() ? "spectral" : colours));
  }
  return options;
}

// Whether a run must, may or must not write a file for each image.
enum class Outputs { kWanted, kOptional, kNone };

Outputs OutputsOf(const LoadedArtifact& artifact) {
  const bool is_labels = artifact.manifest.interface().kind() == "scores" && !artifact.is_node();
  if (*FLAGS_benchmark || is_labels) return Outputs::kNone;
  const bool others = !FLAGS_compare->empty() || !FLAGS_cameras->empty() || !FLAGS_points->empty();
  return others ? Outputs::kOptional : Outputs::kWanted;
}

absl::Status CheckOut(const std::string& out, Outputs wanted) {
  if (out.empty() && wanted == Outputs::kWanted) {
    return absl::InvalidArgumentError("--out is missing: a .png or .exr file, a folder, or a name with * or %04d");
  }
  if (!out.empty() && wanted == Outputs::kNone) {
    return absl::InvalidArgumentError(
        "--out: labels of a model of classes, and the results of --benchmark, are printed; leave it out");
  }
  return absl::OkStatus();
}

absl::StatusOr<MissingFrames> ParseMissing() {
  const std::string missing = *FLAGS_missing;
  if (missing == "error") return MissingFrames::kError;
  if (missing == "skip") return MissingFrames::kSkip;
  return absl::InvalidArgumentError(absl::StrCat("--missing=", missing, ": wants error or skip"));
}

// The images of --input.
absl::StatusOr<FoundImages> FindInputs() {
  const std::vector<std::string> inputs = ResolveUserPaths(*FLAGS_input);
  if (inputs.empty()) return absl::InvalidArgumentError("--input is missing: an image, a folder or a sequence");
  ASSIGN_OR_RETURN(const MissingFrames missing, ParseMissing());
  return FindImages(inputs, missing);
}

// The files that images become, which are called after `names`; "" without --out. In a folder, numbers of a sequence
// are .exr, whose scale all frames share.
absl::StatusOr<std::vector<std::string>> PlanOutputs(const std::vector<FoundImage>& names, const std::string& out,
                                                     const OutputStyle& style) {
  if (out.empty()) return std::vector<std::string>(names.size());
  const bool is_sequence = names.size() > 1 && !names.front().number.empty() && !*FLAGS_between;
  const bool is_map = is_sequence && !style.is_picture() && !style.range && FLAGS_compare->empty();
  ASSIGN_OR_RETURN(std::vector<std::string> outputs,
                   NameOutputs(names, ResolveUserPath(out), is_map ? ".exr" : ".png"));
  for (const std::string& output : outputs) {
    if (style.range && absl::EndsWithIgnoreCase(output, ".exr")) {
      return absl::InvalidArgumentError(
          absl::StrCat("--range is for .png files: ", output, " holds the depth as it is"));
    }
  }
  return outputs;
}

// Which file each image becomes.
absl::StatusOr<std::vector<PredictJob>> PlanImages(const std::vector<FoundImage>& images, const std::string& out,
                                                   const OutputStyle& style) {
  ASSIGN_OR_RETURN(const std::vector<std::string> outputs, PlanOutputs(images, out, style));
  std::vector<PredictJob> jobs;
  for (size_t i = 0; i < images.size(); ++i) jobs.push_back({images[i].path, outputs[i]});
  return jobs;
}

// The frames of --between, and the file that each becomes.
absl::StatusOr<std::vector<PredictJob>> PlanFrames(const std::vector<FoundImage>& images, const std::string& out,
                                                   const OutputStyle& style) {
  constexpr int64_t kMostBetween = 1000;
  const int64_t between = FLAGS_between->value();
  if (between < 1 || between > kMostBetween) {
    return absl::InvalidArgumentError(absl::StrCat("--between=", between, ": wants a number in 1..", kMostBetween));
  }
  if (*FLAGS_missing != "error") {
    return absl::InvalidArgumentError("--between needs frames that follow each other: leave out --missing");
  }
  ASSIGN_OR_RETURN(const std::vector<FrameBetween> frames, FramesBetween(images, between));
  std::vector<FoundImage> names;
  for (const FrameBetween& frame : frames) names.push_back(frame.frame);
  ASSIGN_OR_RETURN(const std::vector<std::string> outputs, PlanOutputs(names, out, style));
  std::vector<PredictJob> jobs;
  for (size_t i = 0; i < frames.size(); ++i) {
    jobs.push_back({.input = frames[i].first.path,
                    .output = outputs[i],
                    .next = frames[i].second.path,
                    .timestep = frames[i].timestep});
  }
  return jobs;
}

// Makes sure that --between is given for a model that makes frames between two, and for no other.
absl::Status CheckBetween(const LoadedArtifact& artifact) {
  const std::string& model = artifact.manifest.model();
  if (TakesFrames(artifact) == FLAGS_between->has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      *FLAGS_between
          ? absl::StrCat("--between: ", model, " takes one image at a time")
          : absl::StrCat(model,
                         " makes frames between two images\n  --between=1 makes one between each two of --input"));
}

// Gives each job, of which `images` are the inputs, its trimap.
absl::Status PairTrimaps(const std::string& trimap, const LoadedArtifact& artifact,
                         const std::vector<FoundImage>& images, std::vector<PredictJob>& jobs) {
  const std::string& model = artifact.manifest.model();
  if (trimap.empty() && !TakesTrimap(artifact)) return absl::OkStatus();
  if (trimap.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--trimap is missing: ", model,
                     " takes an image and its trimap, grey of the same size: black background, white foreground, "
                     "unknown between"));
  }
  if (!TakesTrimap(artifact)) return absl::InvalidArgumentError(absl::StrCat("--trimap: ", model, " takes none"));
  ASSIGN_OR_RETURN(const FoundImages trimaps, FindImages(ResolveUserPaths(trimap), MissingFrames::kSkip));
  const auto pairs = PairByFrame(images, trimaps.images);
  if (!pairs.ok()) return Annotate(pairs.status(), absl::StrCat("--trimap=", trimap));
  for (size_t i = 0; i < jobs.size(); ++i) jobs[i].trimap = (*pairs)[i].second.path;
  return absl::OkStatus();
}

absl::StatusOr<SceneOutputs> ParseSceneOutputs() {
  SceneOutputs outputs;
  if (const std::string path = *FLAGS_cameras; !path.empty()) outputs.cameras = ResolveUserPath(path);
  if (const std::string path = *FLAGS_points; !path.empty()) outputs.points = ResolveUserPath(path);
  outputs.percentile = *FLAGS_conf;
  if (!(outputs.percentile >= 0 && outputs.percentile < 100)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--conf=", outputs.percentile, ": wants a percentage from 0 to 100"));
  }
  RETURN_IF_ERROR(CheckSceneOutputs(outputs));
  return outputs;
}

// An output must not replace an input, all of which are known.
absl::Status CheckOutputs(const SceneOutputs& scene, const std::vector<PredictJob>& jobs) {
  for (const PredictJob& job : jobs) RETURN_IF_ERROR(CheckReplacesNoInput(job.output));
  RETURN_IF_ERROR(CheckReplacesNoInput(scene.cameras));
  return CheckReplacesNoInput(scene.points);
}

absl::Status MeasureOne(const LoadedArtifact& artifact, const PredictJob& job, const PredictOptions& options) {
  PredictedImage done = {.input = job.input};
  JobInput input;
  RETURN_IF_ERROR(ReadJob(job, options, input, done));
  const absl::StatusOr<Benchmark> benchmark = MeasureModel(artifact, ForModel(input, job, options));
  if (!benchmark.ok()) return Annotate(benchmark.status(), job.input);
  if (IsReportWanted()) {
    Report().update(BenchmarkReport(artifact, done, *benchmark));
  } else {
    PrintBenchmark(artifact, done, *benchmark, std::cout);
  }
  return absl::OkStatus();
}

// The artifact of --compare; none without the flag.
absl::StatusOr<absl::optional<LoadedArtifact>> OpenCompared() {
  const std::string path = *FLAGS_compare;
  if (path.empty()) return absl::nullopt;
  if (*FLAGS_views || *FLAGS_benchmark) {
    return absl::InvalidArgumentError("--compare takes each image on its own: leave out --views and --benchmark");
  }
  ASSIGN_OR_RETURN(LoadedArtifact artifact, OpenFile(path));
  return absl::make_optional(std::move(artifact));
}

absl::Status Predict() {
  const absl::Time start = absl::Now();
  PredictionReport report;
  ASSIGN_OR_RETURN(PredictOptions options, ParsePredictOptions());
  ASSIGN_OR_RETURN(report.scene, ParseSceneOutputs());
  const std::string out = *FLAGS_out;
  // A wrong path is told before the model is built.
  ASSIGN_OR_RETURN(const FoundImages inputs, FindInputs());
  report.notes = inputs.notes;
  options.style.is_one_of_several = inputs.images.size() > 1;
  const auto plan = *FLAGS_between ? PlanFrames : PlanImages;
  ASSIGN_OR_RETURN(report.jobs, plan(inputs.images, out, options.style));
  ASSIGN_OR_RETURN(const LoadedArtifact artifact, OpenArtifact(report.remarks));
  RETURN_IF_ERROR(CheckBetween(artifact));
  RETURN_IF_ERROR(CheckOut(out, OutputsOf(artifact)));
  RETURN_IF_ERROR(PairTrimaps(*FLAGS_trimap, artifact, inputs.images, report.jobs));
  if (*FLAGS_benchmark) return MeasureOne(artifact, report.jobs[0], options);
  ASSIGN_OR_RETURN(const absl::optional<LoadedArtifact> compared, OpenCompared());
  RETURN_IF_ERROR(CheckOutputs(report.scene, report.jobs));
  if (compared) {
    options.compared = &*compared;
    if (!options.style.colours) {
      ASSIGN_OR_RETURN(options.style.colours, ParseColours("spectral"));
    }
  }
  if (*FLAGS_views || !report.scene.cameras.empty() || !report.scene.points.empty()) {
    ASSIGN_OR_RETURN(const std::vector<View> views, PredictViews(artifact, report.jobs, options, report.images));
    ASSIGN_OR_RETURN(report.counts, WriteScene(views, report.scene));
  } else {
    report.images = PredictImages(artifact, report.jobs, options);
  }
  report.time = absl::Now() - start;
  if (IsReportWanted()) {
    Report().update(PredictionsReport(artifact, report));
  } else {
    PrintPredictions(artifact, report, std::cout);
  }
  return FailuresOf(report.images);
}

FlagGroup PredictFlags() {
  static FlagGroup own;
  static const FlagWithHelp model(
      own, FLAGS_model,
      absl::StrCat("the variant to run, such as dav2_vits; ", ToolCall("list"),
                   " shows all; by default the one that --checkpoint fits, if there is only one"));
  static const FlagWithHelp out(own, FLAGS_out,
                                "the .png or .exr file to write; of several images a folder, or a name in which %04d "
                                "stands for an image's number or * for its name");
  // predict builds what takes images of any size, for libtorch, and writes no artifact, so it sets these itself.
  std::vector<absl::string_view> without = HostFlagNames();
  without.insert(without.end(),
                 {FLAGS_model.name(), FLAGS_out.name(), "with_preprocess", "wrapper", "sizes", "opset", "verify"});
  static const FlagWithHelp knob(own, FLAGS_knob,
                                 "with --artifact: other values for knobs of the node, such as convention=1");
  without.push_back(FLAGS_knob.name());
  return flags + own + Without(ExportFlags(), without) + ReportFlags();
}

}  // namespace

Command PredictCommand() {
  return {
      .name = "predict",
      .summary = "Runs a model on images: depth, mattes, larger images, features or labels, as pictures and maps.",
      .flags = PredictFlags(),
      .run = TakesFlags(Predict),
  };
}

}  // namespace modelport
