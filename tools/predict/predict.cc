// Runs a model on images and writes what it sees as pictures and maps.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
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
#include "tools/command/memory.h"
#include "tools/command/report.h"
#include "tools/command/tool_call.h"
#include "tools/command/user_path.h"
#include "tools/image/legend.h"
#include "tools/image/read_image.h"
#include "tools/predict/find_images.h"
#include "tools/predict/predict_images.h"
#include "tools/predict/print_predictions.h"
#include "tools/predict/run/load_artifact.h"
#include "tools/predict/run/prediction.h"
#include "tools/predict/run/run_model.h"
#include "tools/predict/scene/scene.h"
#include "tools/request/export_request.h"

namespace modelport {
namespace {

struct PredictFlags {
  PredictFlags() {
    exported.model.set_help(
        absl::StrCat("the variant to run, such as dav2_vits; ", ToolCall("list"),
                     " shows all; by default the one that --checkpoint fits, if there is only one"));
    exported.out.set_help(
        "the .png or .exr file to write; of several images a folder, or a name in which %04d stands for an image's "
        "number or * for its name");
    exported.knob.set_help("with --artifact: other values for knobs of the node, such as convention=1");
    // predict builds what takes images of any size, for libtorch, and writes no artifact, so it sets these itself.
    Remove(group, exported.host.ThatChooseHost());
    Remove(group, exported.OfWrittenArtifact());
    Remove(group, {&exported.with_preprocess, &exported.wrapper});
    artifact.NotWith(exported.ThatMakeArtifact(), "an artifact runs as it is");
    exported.knob.OnlyWith({&artifact});
    key.OnlyWith({&artifact, &compare});
    percentiles.OnlyWith({&colours, &side_by_side, &compare});
    range.NotWith({&percentiles}, "both choose the scale");
    normals.NotWith({&range, &colours, &side_by_side}, "normals have colours of their own");
    flow.NotWith({&normals, &colours, &side_by_side}, "motion has colours of its own");
    tile_pad.OnlyWith({&tile});
    conf.OnlyWith({&points});
    for (AnyFlag* const pairs : FlagGroup{&between, &flow}) {
      pairs->NotWith({&missing}, "it needs frames that follow each other");
    }
    for (AnyFlag* const scene : FlagGroup{&views, &cameras, &points}) {
      scene->NotWith({&compare, &benchmark, &between, &tile}, "views of a scene are taken together");
      scene->NotWith({&flow}, "motion is from one frame into the next");
    }
    for (AnyFlag* const prompt : FlagGroup{&point, &box}) {
      prompt->NotWith({&trimap, &prompt_depth, &between, &flow, &views, &cameras, &points},
                      "a prompt says what a matte is of");
    }
    benchmark.NotWith({&compare}, "it measures one artifact");
    resume.NotWith({&benchmark}, "that writes nothing");
    overlay.NotWith({&compare, &benchmark, &between, &flow, &views}, "it is of the matte of one image");
  }

  FlagGroup group;
  Flag<std::string> artifact{group, "artifact", "",
                             "an artifact that export --with_preprocess wrote or that is a node for a host, "
                             "TorchScript or ONNX, instead of a model; predict runs its code"};
  Flag<std::string> input{group, "input", "",
                          "an image (JPEG, PNG, TIFF or EXR), a folder, a numbered sequence such as plate.%04d.exr, a "
                          "wildcard in quotes, or several with commas between"};
  Flag<std::string> trimap{
      group, "trimap", "",
      "for a model of mattes: the trimap of the image, grey: black background, white foreground, unknown between, or "
      "an image with it in alpha; of several images a folder or a sequence, which has one with the number or the name "
      "of each image; a node for a host takes the alpha of --input by itself"};
  Flag<std::string> prompt_depth{group, "prompt_depth", "",
                                 "for a model that refines a coarse depth, such as a phone's LiDAR: that depth, an EXR "
                                 "file in metres or a PNG file "
                                 "of 16 bits in millimetres, of any size; of several images as for --trimap"};
  Flag<PointsFlag> point{group,
                         "point",
                         {},
                         "for a model that is told what is meant: a point in it, X,Y in pixels right and down, such as "
                         "200,150, or X,Y,0 in what is not meant; --point may be given several times"};
  Flag<BoxFlag> box{group, "box", {}, "for such a model: a box around what is meant, LEFT,TOP,RIGHT,BOTTOM in pixels"};
  Flag<absl::optional<int64_t>> between{group, "between", absl::nullopt,
                                        "for a model that makes a frame between two: how many to make between each two "
                                        "images of --input, numbered so that the images themselves fit between them"};
  Flag<std::string> missing{
      group, "missing", "error",
      "what to do if a numbered sequence lacks frames between its first and its last: error or skip"};
  Flag<std::string> colours{
      group, "colours", "",
      "draw depth in colours with a legend: spectral, turbo or grey; by default a .png has 16-bit numbers"};
  Flag<std::string> percentiles{group, "percentiles", "0,100",
                                "the percentiles of the depth that get the first and the last colour"};
  Flag<std::string> range{
      group, "range", "",
      "MIN,MAX: the depths, in the model's unit, that are 0 and 65535 in a .png, or get the first "
      "and the last colour; by default 0 to 256 metres, and for depth without a unit each image's own "
      "smallest and largest, or one range for a shot; with --flow MAX is the motion in pixels that has its full "
      "colour"};
  Flag<bool> normals{group, "normals", false,
                     "draw normals in the place of depth: red right, green up, blue to the camera"};
  Flag<bool> flow{group, "flow", false,
                  "for a model of two images: write the motion of each image of --input into the next, as pixels in an "
                  ".exr, as colours of directions in a .png; with --between that of the frames between"};
  Flag<bool> side_by_side{
      group, "side_by_side", false,
      "draw depth in colours, with the image to its left; of a matte the image, and the image with the matte over it"};
  Flag<std::string> overlay{
      group, "overlay", "",
      "for a model of mattes: write this .png, too, or as --out names several: the image, and the image with its matte "
      "over it and the points in it"};
  Flag<std::string> cameras{
      group, "cameras", "",
      "write the cameras of the views to this .json file, or to this new folder as COLMAP's text files"};
  Flag<std::string> points{group, "points", "", "write a coloured point cloud of the views to this .ply or .glb file"};
  Flag<double> conf{group, "conf", 40, "leave out so many percent of the points, those of the least confidence"};
  Flag<std::string> compare{
      group, "compare", "",
      "another artifact: tell how far its outputs are, and draw both and their difference to --out"};
  Flag<std::string> key{group, "key", "",
                        "the public key in PEM of whoever signed the files of --artifact and --compare: their "
                        "signatures are checked before anything of them runs"};
  Flag<bool> benchmark{group, "benchmark", false,
                       "measure the time and memory of one image, instead of writing anything"};
  Flag<bool> views{group, "views", false, "take all images as views of one scene, for Depth Anything 3"};
  Flag<absl::optional<int64_t>> size{
      group, "size", absl::nullopt,
      "the resolution at which the model works, in pixels or tokens, up to 20 megapixels; by default that of the "
      "published code, which is refused where an image gets more than 4 megapixels and more than a square one gets"};
  Flag<absl::optional<int64_t>> tile{
      group, "tile", absl::nullopt,
      "for a model that makes one image of one, larger or cleaned: work on pieces of so many pixels a side, such as "
      "512, one after the other, for less memory; by default on the whole image"};
  Flag<int64_t> tile_pad{group, "tile_pad", 32, "with --tile: the pixels around each piece that the model sees, too"};
  Flag<std::string> resume{
      group, "resume", "",
      "for a model of shots: a folder that keeps how far the shot is done, so that the same command goes on where it "
      "was stopped; it is removed at the end"};
  Flag<int64_t> max_megapixels{group, "max_megapixels", 100, "refuse larger images, before they are decoded"};
  ExportFlags exported{group};
  Report report{group};
};

absl::StatusOr<LoadedArtifact> OpenFile(const PredictFlags& flags, const std::string& path) {
  return LoadArtifact(ResolveUserPath(path), flags.key->empty() ? "" : ResolveUserPath(*flags.key));
}

// The artifact of --artifact with the knobs of --knob.
absl::StatusOr<LoadedArtifact> OpenNode(const PredictFlags& flags) {
  ASSIGN_OR_RETURN(LoadedArtifact artifact, OpenFile(flags, *flags.artifact));
  if (flags.exported.knob->empty()) return artifact;
  ArtifactRequest wanted;
  RETURN_IF_ERROR(SetKnobs(*flags.exported.knob, wanted));
  RETURN_IF_ERROR(TurnKnobs(wanted.knobs, artifact));
  return artifact;
}

// The artifact of --artifact, or that of --model, which is built here.
absl::StatusOr<LoadedArtifact> OpenArtifact(const PredictFlags& flags, std::vector<std::string>& remarks) {
  if (flags.artifact->empty() && flags.exported.model->empty() && flags.exported.checkpoint->empty()) {
    return absl::InvalidArgumentError("give one of --model=NAME, --checkpoint=FILE and --artifact=FILE");
  }
  if (!flags.artifact->empty()) return OpenNode(flags);
  ASSIGN_OR_RETURN(ExportRequest request, ParseExportRequest(BuiltInPlugins(), flags.exported));
  if (flags.exported.model->empty()) {
    for (const absl::string_view line : absl::StrSplit(request.choice, '\n', absl::SkipEmpty())) {
      remarks.emplace_back(line);
    }
  }
  request.options.request.with_preprocess = true;
  return BuildModel(request.registry, request.options.request, request.options.allow_nonfinite);
}

absl::StatusOr<DepthColours> ParseColours(const PredictFlags& flags, const std::string& name) {
  const absl::StatusOr<ColourMap> map = FindColourMap(name);
  if (!map.ok()) return Annotate(map.status(), absl::StrCat("--colours=", name));
  DepthColours colours = {.map = *map};
  const std::string percentiles = *flags.percentiles;
  const absl::optional<ValueRange> range = ParseRange(percentiles);
  if (range && 0 <= range->min && range->max <= 100) {
    colours.low = range->min;
    colours.high = range->max;
    colours.range = ParseRange(*flags.range);
    return colours;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--percentiles=", percentiles, ": wants two numbers in 0..100, the smaller first, such as 2,98"));
}

absl::StatusOr<Tiles> ParseTiles(int64_t side, int64_t pad) {
  constexpr int64_t kMostPixels = 65536;
  if (side < kTileStep || side > kMostPixels || side % kTileStep != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--tile=", side, ": wants a multiple of ", kTileStep, " up to ", kMostPixels, ", as 512 is"));
  }
  if (pad < 0 || pad > kMostPixels || pad % kTileStep != 0) {
    return absl::InvalidArgumentError(absl::StrCat("--tile_pad=", pad, ": wants a multiple of ", kTileStep,
                                                   " from 0 to ", kMostPixels, ", as 32 is"));
  }
  return Tiles{side, pad};
}

absl::StatusOr<PredictOptions> ParsePredictOptions(const PredictFlags& flags) {
  PredictOptions options;
  constexpr int64_t kMaxMegapixels = 1000;
  const int64_t megapixels = *flags.max_megapixels;
  if (megapixels < 1 || megapixels > kMaxMegapixels) {
    return absl::InvalidArgumentError(
        absl::StrCat("--max_megapixels=", megapixels, ": wants a number in 1..", kMaxMegapixels));
  }
  options.max_pixels = megapixels * 1000000;
  options.size = *flags.size;
  if (options.size && *options.size < 1) {
    return absl::InvalidArgumentError(absl::StrCat("--size=", *options.size, ": wants a number from 1"));
  }
  if (*flags.tile) {
    ASSIGN_OR_RETURN(options.tiles, ParseTiles(**flags.tile, *flags.tile_pad));
  }
  options.prompt = flags.box->corners;
  options.prompt.insert(options.prompt.end(), flags.point->points.begin(), flags.point->points.end());
  if (!flags.resume->empty()) options.resume = ResolveUserPath(*flags.resume);
  options.style.side_by_side = *flags.side_by_side;
  options.style.normals = *flags.normals;
  options.style.flow = *flags.flow;
  const std::string range = *flags.range;
  options.style.range = ParseRange(range);
  if (!range.empty() && !options.style.range) {
    return absl::InvalidArgumentError(
        absl::StrCat("--range=", range, ": wants two numbers, the smaller first, such as 0,80"));
  }
  if (*flags.flow && options.style.range && options.style.range->max <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--range=", range, ": with --flow MAX is a length in pixels, above 0, such as 0,20"));
  }
  const std::string colours = *flags.colours;
  if (!colours.empty() || options.style.side_by_side) {
    ASSIGN_OR_RETURN(options.style.colours, ParseColours(flags, colours.empty() ? "spectral" : colours));
  }
  return options;
}

// Whether a run must, may or must not write a file for each image.
enum class Outputs { kWanted, kOptional, kNone };

Outputs OutputsOf(const PredictFlags& flags, const LoadedArtifact& artifact) {
  const bool is_labels = artifact.manifest.interface().kind() == "scores" && !artifact.is_node();
  if (*flags.benchmark || is_labels) return Outputs::kNone;
  const bool others = !flags.compare->empty() || !flags.cameras->empty() || !flags.points->empty();
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

absl::StatusOr<MissingFrames> ParseMissing(const PredictFlags& flags) {
  const std::string missing = *flags.missing;
  if (missing == "error") return MissingFrames::kError;
  if (missing == "skip") return MissingFrames::kSkip;
  return absl::InvalidArgumentError(absl::StrCat("--missing=", missing, ": wants error or skip"));
}

// The images of --input.
absl::StatusOr<FoundImages> FindInputs(const PredictFlags& flags) {
  const std::vector<std::string> inputs = ResolveUserPaths(*flags.input);
  if (inputs.empty()) return absl::InvalidArgumentError("--input is missing: an image, a folder or a sequence");
  ASSIGN_OR_RETURN(const MissingFrames missing, ParseMissing(flags));
  return FindImages(inputs, missing);
}

// The files that images become, which are called after `names`; "" without --out. In a folder, numbers of a sequence
// are .exr, whose scale all frames share; motion is numbers, a frame between two is a picture.
absl::StatusOr<std::vector<std::string>> PlanOutputs(const PredictFlags& flags, const std::vector<FoundImage>& names,
                                                     const OutputStyle& style) {
  const std::string& out = *flags.exported.out;
  if (out.empty()) return std::vector<std::string>(names.size());
  const bool is_sequence = *flags.flow || (names.size() > 1 && !*flags.between);
  const bool is_map =
      is_sequence && !names.front().number.empty() && !style.is_picture() && !style.range && flags.compare->empty();
  ASSIGN_OR_RETURN(std::vector<std::string> outputs,
                   NameOutputs(names, ResolveUserPath(out), is_map ? ".exr" : ".png"));
  for (const std::string& output : outputs) {
    if (style.range && absl::EndsWithIgnoreCase(output, ".exr")) {
      return absl::InvalidArgumentError(
          absl::StrCat("--range is for .png files: ", output, " holds the numbers as they are"));
    }
  }
  return outputs;
}

// Which file each image becomes.
absl::StatusOr<std::vector<PredictJob>> PlanImages(const PredictFlags& flags, const std::vector<FoundImage>& images,
                                                   const OutputStyle& style) {
  const absl::StatusOr<std::vector<std::string>> planned = PlanOutputs(flags, images, style);
  // If --out as it stands would do for each of two images alone, it names one file for both.
  const auto is_named = [&](const FoundImage& image) {
    const absl::StatusOr<std::vector<std::string>> alone = PlanOutputs(flags, {image}, style);
    return alone.ok() && alone->front() == ResolveUserPath(*flags.exported.out);
  };
  if (!planned.ok() && images.size() == 2 && is_named(images[0]) && is_named(images[1])) {
    return absl::InvalidArgumentError(absl::StrCat(
        planned.status().message(), "\n  a model that makes one file of two images wants --between=1 or --flow"));
  }
  RETURN_IF_ERROR(planned.status());
  const std::vector<std::string>& outputs = *planned;
  std::vector<PredictJob> jobs;
  for (size_t i = 0; i < images.size(); ++i) jobs.push_back({images[i].path, outputs[i]});
  if (flags.overlay->empty()) return jobs;
  ASSIGN_OR_RETURN(const std::vector<std::string> overlays,
                   NameOutputs(images, ResolveUserPath(*flags.overlay), ".png"));
  for (size_t i = 0; i < images.size(); ++i) {
    if (!absl::EndsWithIgnoreCase(overlays[i], ".png") || overlays[i] == outputs[i]) {
      return absl::InvalidArgumentError(
          absl::StrCat("--overlay: wants a .png file other than that of --out, has ", overlays[i]));
    }
    jobs[i].overlay = overlays[i];
  }
  return jobs;
}

// The frames of --between, and the file that each becomes.
absl::StatusOr<std::vector<PredictJob>> PlanFrames(const PredictFlags& flags, const std::vector<FoundImage>& images,
                                                   const OutputStyle& style) {
  constexpr int64_t kMostBetween = 1000;
  const int64_t between = flags.between->value();
  if (between < 1 || between > kMostBetween) {
    return absl::InvalidArgumentError(absl::StrCat("--between=", between, ": wants a number in 1..", kMostBetween));
  }
  ASSIGN_OR_RETURN(const std::vector<FrameBetween> frames, FramesBetween(images, between));
  std::vector<FoundImage> names;
  for (const FrameBetween& frame : frames) names.push_back(frame.frame);
  ASSIGN_OR_RETURN(const std::vector<std::string> outputs, PlanOutputs(flags, names, style));
  std::vector<PredictJob> jobs;
  for (size_t i = 0; i < frames.size(); ++i) {
    jobs.push_back({.input = frames[i].first.path,
                    .output = outputs[i],
                    .others = {frames[i].second.path},
                    .timestep = frames[i].timestep});
  }
  return jobs;
}

// The motion of each image but the last into the next, and the file that it becomes.
absl::StatusOr<std::vector<PredictJob>> PlanMotion(const PredictFlags& flags, const std::vector<FoundImage>& images,
                                                   const OutputStyle& style) {
  if (images.size() < 2) {
    return absl::InvalidArgumentError(
        "--flow is the motion of an image into the next, and --input names one image\n  name two or more, as "
        "--input=FIRST,SECOND, or a sequence");
  }
  ASSIGN_OR_RETURN(std::vector<PredictJob> jobs, PlanImages(flags, {images.begin(), images.end() - 1}, style));
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].others = {images[i + 1].path};
    jobs[i].timestep = 0;
  }
  return jobs;
}

// Makes sure that --between or --flow is given for a model of two images, and for no other.
absl::Status CheckPairs(const PredictFlags& flags, const LoadedArtifact& artifact) {
  const std::string& model = artifact.manifest.request().model();
  const bool takes_two = TakesImages(artifact) == ImagesTaken::kTwoFrames, takes_time = TakesTimestep(artifact);
  if (*flags.between && !(takes_two && takes_time)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--between: ", model, " makes no frames between two images\n  leave it out",
        takes_two && !*flags.flow ? "; --flow writes the motion of each image of --input into the next" : ""));
  }
  if (*flags.flow && !takes_two) {
    return absl::InvalidArgumentError(absl::StrCat("--flow: ", model, " gives no motion\n  leave it out"));
  }
  if (!takes_two || *flags.between || *flags.flow) return absl::OkStatus();
  const bool gives_motion = artifact.manifest.interface().kind() == "flow";
  return absl::InvalidArgumentError(
      absl::StrCat(model, gives_motion ? " gives the motion from image to image" : " makes frames between two images",
                   takes_time ? "\n  --between=1 makes one between each two of --input" : "",
                   gives_motion ? "\n  --flow writes the motion of each image of --input into the next" : ""));
}

// Gives the jobs the time that --knob sets for a node between two frames, in the place of the middle or of the first.
absl::Status SetTimeOfKnob(const PredictFlags& flags, std::vector<PredictJob>& jobs) {
  ArtifactRequest wanted;
  if (!flags.exported.knob->empty()) RETURN_IF_ERROR(SetKnobs(*flags.exported.knob, wanted));
  const auto time = wanted.knobs.find("timestep");
  if (time == wanted.knobs.end()) return absl::OkStatus();
  if (*flags.between && **flags.between > 1) {
    return absl::InvalidArgumentError(absl::StrCat("--knob=timestep: --between=", **flags.between, " makes frames at ",
                                                   **flags.between, " times; give --between=1 for one at this time"));
  }
  for (PredictJob& job : jobs) job.timestep = time->second;
  return absl::OkStatus();
}

// Makes sure that a prompt is given for a model that takes one, and for no other.
absl::Status CheckPrompt(const Prompt& prompt, const LoadedArtifact& artifact) {
  const std::string& model = artifact.manifest.request().model();
  if (TakesPrompt(artifact) == !prompt.empty()) return absl::OkStatus();
  if (prompt.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--point is missing: ", model,
                                                   " makes a matte of what is meant: --point=X,Y in pixels, or "
                                                   "--box=LEFT,TOP,RIGHT,BOTTOM"));
  }
  return absl::InvalidArgumentError(artifact.is_node()
                                        ? absl::StrCat("--point and --box are for a model: what the node of ", model,
                                                       " takes are knobs, which --knob sets")
                                        : absl::StrCat("--point and --box: ", model, " takes none"));
}

// Makes sure that no flag is given that a model of shots does not honour.
absl::Status CheckShot(const PredictFlags& flags, bool wants_scene, const LoadedArtifact& artifact) {
  const auto refuse = [&](absl::string_view flag, absl::string_view other) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": ", artifact.manifest.request().model(), " takes the frames of a shot, not ", other));
  };
  if (wants_scene) return refuse("--views, --cameras and --points", "views of a scene");
  if (!flags.compare->empty()) return refuse("--compare", "images to compare");
  if (*flags.tile) return refuse("--tile", "an image to work on in pieces");
  return absl::OkStatus();
}

// Gives each job, of which `images` are the inputs, its companion.
absl::Status PairCompanions(const PredictFlags& flags, const LoadedArtifact& artifact,
                            const std::vector<FoundImage>& images, std::vector<PredictJob>& jobs) {
  struct Kind {
    Companion kind;
    const Flag<std::string>& flag;
    std::string what;
  };
  const std::string& model = artifact.manifest.request().model();
  const Companion taken = TakesBeside(artifact);
  for (const Kind& kind :
       {Kind{Companion::kTrimap, flags.trimap,
             "its trimap, an image of the same size, grey or with the trimap in alpha: black background, white "
             "foreground, unknown between"},
        Kind{Companion::kCoarseDepth, flags.prompt_depth,
             "a coarse depth of it: an EXR file in metres, or a PNG file of 16 bits in millimetres"}}) {
    const std::string flag = absl::StrCat("--", kind.flag.name()), value = *kind.flag;
    if (taken != kind.kind && !value.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(flag, ": ", model, " takes none"));
    }
    if (taken != kind.kind) continue;
    // A node takes the trimap in the plate's own alpha.
    if (value.empty() && taken == Companion::kTrimap && artifact.is_node()) {
      for (PredictJob& job : jobs) std::tie(job.companion, job.kind) = std::tie(job.input, taken);
      continue;
    }
    if (value.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(flag, " is missing: ", model, " takes an image and ", kind.what));
    }
    ASSIGN_OR_RETURN(const FoundImages found, FindImages(ResolveUserPaths(value), MissingFrames::kSkip));
    const auto pairs = PairByFrame(images, found.images);
    if (!pairs.ok()) return Annotate(pairs.status(), absl::StrCat(flag, "=", value));
    for (size_t i = 0; i < jobs.size(); ++i) {
      jobs[i].companion = (*pairs)[i].second.path;
      jobs[i].kind = taken;
    }
  }
  return absl::OkStatus();
}

// The frames around each, for a node that takes them. Before the first one and behind the last one it gets that frame.
void AddFramesAround(const LoadedArtifact& artifact, std::vector<PredictJob>& jobs) {
  if (TakesImages(artifact) != ImagesTaken::kAround) return;
  const auto& frames = artifact.manifest.interface().frames();
  const int64_t last = static_cast<int64_t>(jobs.size()) - 1;
  for (int64_t i = 0; i <= last; ++i) {
    for (auto frame = frames.begin() + 1; frame != frames.end(); ++frame) {
      jobs[i].others.push_back(jobs[std::clamp<int64_t>(i + *frame, 0, last)].input);
    }
  }
}

absl::StatusOr<SceneOutputs> ParseSceneOutputs(const PredictFlags& flags) {
  SceneOutputs outputs;
  if (const std::string path = *flags.cameras; !path.empty()) outputs.cameras = ResolveUserPath(path);
  if (const std::string path = *flags.points; !path.empty()) outputs.points = ResolveUserPath(path);
  outputs.percentile = *flags.conf;
  if (!(outputs.percentile >= 0 && outputs.percentile < 100)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--conf=", outputs.percentile, ": wants a percentage from 0 to 100"));
  }
  RETURN_IF_ERROR(CheckSceneOutputs(outputs));
  return outputs;
}

// An output must not replace an input, all of which are known.
absl::Status CheckOutputs(const SceneOutputs& scene, const std::vector<PredictJob>& jobs) {
  for (const PredictJob& job : jobs) {
    RETURN_IF_ERROR(CheckReplacesNoInput(job.output));
    RETURN_IF_ERROR(CheckReplacesNoInput(job.overlay));
  }
  RETURN_IF_ERROR(CheckReplacesNoInput(scene.cameras));
  return CheckReplacesNoInput(scene.points);
}

absl::Status MeasureOne(const LoadedArtifact& artifact, const PredictJob& job, const PredictOptions& options,
                        Report& report) {
  PredictedImage done = {.input = job.input};
  JobInput input;
  RETURN_IF_ERROR(ReadJob(job, options, input, done));
  const absl::StatusOr<Benchmark> benchmark = MeasureModel(artifact, ForModel(input, job, options));
  if (!benchmark.ok()) return Annotate(benchmark.status(), job.input);
  if (report.is_wanted()) {
    report.fields().update(BenchmarkReport(artifact, done, *benchmark));
  } else {
    PrintBenchmark(artifact, done, *benchmark, std::cout);
  }
  return absl::OkStatus();
}

// The artifact of --compare; none without the flag.
absl::StatusOr<absl::optional<LoadedArtifact>> OpenCompared(const PredictFlags& flags) {
  const std::string path = *flags.compare;
  if (path.empty()) return absl::nullopt;
  ASSIGN_OR_RETURN(LoadedArtifact artifact, OpenFile(flags, path));
  return absl::make_optional(std::move(artifact));
}

absl::Status Predict(PredictFlags& flags) {
  const absl::Time start = absl::Now();
  PredictionReport report;
  ASSIGN_OR_RETURN(PredictOptions options, ParsePredictOptions(flags));
  ASSIGN_OR_RETURN(report.scene, ParseSceneOutputs(flags));
  // A wrong path is told before the model is built.
  ASSIGN_OR_RETURN(const FoundImages inputs, FindInputs(flags));
  report.notes = inputs.notes;
  const auto plan = *flags.between ? PlanFrames : *flags.flow ? PlanMotion : PlanImages;
  ASSIGN_OR_RETURN(report.jobs, plan(flags, inputs.images, options.style));
  options.style.is_one_of_several = report.jobs.size() > 1;
  ASSIGN_OR_RETURN(const LoadedArtifact artifact, OpenArtifact(flags, report.remarks));
  const bool takes_shot = TakesImages(artifact) == ImagesTaken::kShot;
  const bool wants_scene = *flags.views || !report.scene.cameras.empty() || !report.scene.points.empty();
  if (takes_shot) {
    RETURN_IF_ERROR(CheckShot(flags, wants_scene, artifact));
  } else if (!flags.resume->empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--resume: ", artifact.manifest.request().model(), " does not take the frames of a shot"));
  }
  RETURN_IF_ERROR(CheckPairs(flags, artifact));
  RETURN_IF_ERROR(CheckPrompt(options.prompt, artifact));
  if (!flags.overlay->empty() && artifact.manifest.interface().kind() != "matte") {
    return absl::InvalidArgumentError(
        absl::StrCat("--overlay: ", artifact.manifest.request().model(), " gives no matte"));
  }
  RETURN_IF_ERROR(CheckOut(*flags.exported.out, OutputsOf(flags, artifact)));
  RETURN_IF_ERROR(PairCompanions(flags, artifact, inputs.images, report.jobs));
  RETURN_IF_ERROR(SetTimeOfKnob(flags, report.jobs));
  AddFramesAround(artifact, report.jobs);
  KeepFreedMemory();
  if (*flags.benchmark) return MeasureOne(artifact, report.jobs[0], options, flags.report);
  ASSIGN_OR_RETURN(const absl::optional<LoadedArtifact> compared, OpenCompared(flags));
  RETURN_IF_ERROR(CheckOutputs(report.scene, report.jobs));
  if (compared) {
    options.compared = &*compared;
    if (!options.style.colours) {
      ASSIGN_OR_RETURN(options.style.colours, ParseColours(flags, "spectral"));
    }
  }
  if (takes_shot) {
    RETURN_IF_ERROR(PredictShot(artifact, report.jobs, options, report.images));
  } else if (wants_scene) {
    ASSIGN_OR_RETURN(const std::vector<View> views, PredictViews(artifact, report.jobs, options, report.images));
    ASSIGN_OR_RETURN(report.counts, WriteScene(views, report.scene));
  } else {
    report.images = PredictImages(artifact, report.jobs, options);
  }
  report.time = absl::Now() - start;
  if (flags.report.is_wanted()) {
    flags.report.fields().update(PredictionsReport(artifact, report));
  } else {
    PrintPredictions(artifact, report, std::cout);
  }
  return FailuresOf(report.images);
}

}  // namespace

Command PredictCommand() {
  return {
      .name = "predict",
      .summary =
          "Runs a model on images: depth, mattes, motion, larger images, features or labels, as pictures and maps.",
      .begin = TakesFlags<PredictFlags>(Predict),
  };
}

}  // namespace modelport
