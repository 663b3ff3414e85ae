#include "tools/request/export_request.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "artifact/build/formats.h"
#include "common/keymap/source_choice.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "registry/recognise/assign_files.h"
#include "registry/recognise/find_checkpoint.h"
#include "registry/recognise/infer_models.h"
#include "registry/recognise/recognise_model.h"
#include "targets/targets.h"
#include "tools/command/tool_call.h"
#include "tools/command/user_path.h"
#include "tools/request/given_files.h"
#include "tools/request/host_request.h"
#include "tools/request/load_registry.h"

namespace modelport {
namespace {

FlagGroup flags;
Flag<std::string> FLAGS_weights(
    flags, "weights", "",
    "published: end with an error if no checkpoint is found; seeded or seeded:SEED: weights made by a rule, which "
    "predict nothing, for structure checks; by default published if a checkpoint is found, else seeded, or for a "
    "package an error");
Flag<std::string> FLAGS_layout(
    flags, "layout", "auto",
    "how the checkpoint names its keys: auto or a layout of the plugin's keymap.yaml; for several checkpoints one "
    "for all, or one for each with commas between");
Flag<std::string> FLAGS_state_dict(
    flags, "state_dict", "",
    "the checkpoint's dictionary to take, such as teacher or a.b, or . for its root; by default the one that fits");
Flag<std::string> FLAGS_prefix(
    flags, "prefix", "",
    "take the keys that begin so, such as teacher.backbone., and leave out the others; by default a prefix is found "
    "without which the keys fit");
Flag<bool> FLAGS_resample(
    flags, "resample", false,
    "make a table of positions that the checkpoint has for another image size one of the model's, as timm does; by "
    "default a model of that size is taken");
Flag<bool> FLAGS_with_preprocess(
    flags, "with_preprocess", false,
    "put the model's own preparation of images into the artifact, which then takes images of any size, uint8 or "
    "0..1");
Flag<std::string> FLAGS_wrapper(flags, "wrapper", "",
                                absl::StrCat("with ", WrappingTargetFlags(),
                                             ": which of the model's nodes to make, by the name that ",
                                             ToolCall("list"), " shows; by default the first"));
Flag<std::string> FLAGS_outputs(flags, "outputs", "",
                                "the outputs of the model's forward to keep, such as depth, or several with commas "
                                "between; the others are left out, with the code and the weights that only they "
                                "need; by default all are kept");
Flag<std::string> FLAGS_set(
    flags, "set", "",
    "other values for arguments of the model, as its plugin.yaml writes them: max_depth=35, or several with commas "
    "between; the weights have to be made for them");
Flag<std::string> FLAGS_sizes(
    flags, "sizes", "",
    "sizes of the inputs that an ONNX file has fixed, by their letters in the model's shapes, such as "
    "B=1,H=518,W=518; others stay free");
Flag<absl::optional<int64_t>> FLAGS_opset(flags, "opset", absl::nullopt,
                                          "the opset of an ONNX file, 17 to 22; by default 17, which most hosts load");
Flag<std::string> FLAGS_family(
    flags, "family", "",
    "without --model: the family, such as dinov2, of which the checkpoint is a model; by default all are searched");
Flag<bool> FLAGS_verify(flags, "verify", true, "load the artifact back and compare it; --noverify leaves that out");
Flag<bool> FLAGS_allow_nonfinite(flags, "allow_nonfinite", false,
                                 "let NaN and infinite weights and outputs through; the manifest counts the outputs");

}  // namespace

Flag<std::string> FLAGS_knob(
    flags, "knob", "",
    "other values for knobs of the model's node in a host, such as convention=1,max_size=512; in an ONNX file knobs "
    "are constants");
Flag<std::string> FLAGS_model(
    flags, "model", "",
    absl::StrCat("the variant to export, such as dav2_vits; ", ToolCall("list"),
                 " shows all; by default the one that --checkpoint fits, if there is only one"));
Flag<std::string> FLAGS_checkpoint(
    flags, "checkpoint", "",
    "the published file of weights, or several with commas between for a model of several files; by default they are "
    "looked for here and in the Hugging Face cache (see --weights)");
Flag<std::string> FLAGS_out(flags, "out", "",
                            "the file to write; by default it is named after the model, in the current folder");
Flag<std::string> FLAGS_dtype(flags, "dtype", "float32",
                              "dtype of the artifact's weights: float32, float16 or bfloat16");

namespace {

absl::StatusOr<Seeded> ParseSeeded(absl::string_view weights) {
  Seeded seeded;
  absl::string_view rest = weights;
  if (absl::ConsumePrefix(&rest, "seeded") &&
      (rest.empty() || (absl::ConsumePrefix(&rest, ":") && absl::SimpleAtoi(rest, &seeded.seed)))) {
    return seeded;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--weights=", weights, ": wants published, seeded or seeded:SEED, SEED an unsigned 64-bit number"));
}

// How to get the published weights of `variant`.
std::string Cure(const Variant& variant) {
  std::vector<std::string> places, names;
  for (const PublishedFile& file : variant.files) {
    names.push_back(file.name);
    if (std::string place = PublishedPlace(file); !place.empty()) places.push_back(std::move(place));
  }
  if (places.empty()) {
    return absl::StrCat("pass --checkpoint=FILE", variant.files.size() > 1 ? ",FILE" : "",
                        " if you have its weights: the plugin names no place where they are published");
  }
  const std::string whole = PublishedPlace(variant.whole);
  return absl::StrCat("get ", absl::StrJoin(places, "\n  get "),
                      "\n  and pass --checkpoint=", absl::StrJoin(names, ","),
                      whole.empty() ? "" : absl::StrCat("\n  or get ", whole, " and pass it alone"));
}

bool AllFound(const std::vector<std::string>& found) {
  return std::find(found.begin(), found.end(), "") == found.end();
}

// The paths of the published files on this machine, "" for those that are not found: of all parts or, if one of these
// is not found, of the file that holds the whole.
std::vector<std::string> FindCheckpoints(const CatalogEntry& entry, const std::string& here) {
  const auto& [plugin, variant] = entry;
  std::vector<std::string> found;
  for (const PublishedFile& file : variant->files) found.push_back(FindCheckpoint(file, here, plugin->place));
  if (AllFound(found)) return found;
  const std::string whole = FindCheckpoint(variant->whole, here, plugin->place);
  return whole.empty() ? found : std::vector<std::string>{whole};
}

// Says where the weights come from when that was not the user's choice.
std::string DescribeChoice(const Variant& variant, const std::vector<std::string>& found) {
  if (AllFound(found)) {
    return absl::StrCat("used the checkpoint", found.size() > 1 ? "s " : " ", Printable(absl::StrJoin(found, " and ")),
                        "\n");
  }
  std::vector<std::string> lacking;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].empty()) lacking.push_back(variant.files[i].name);
  }
  return absl::StrCat("no ", absl::StrJoin(lacking, " and no "),
                      " in this folder or in the Hugging Face cache: used SEEDED weights.\n",
                      "The artifact is for structure checks; it predicts nothing. For the real one:\n  ", Cure(variant),
                      "\n--weights=published makes this an error.\n");
}

// `subject` begins the message.
absl::Status NoneFound(absl::string_view subject, const Variant& variant, const std::vector<std::string>& found,
                       const std::string& here) {
  std::string message = absl::StrCat(subject, ": no checkpoint of ", variant.name);
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].empty()) continue;
    for (const std::string& place : SearchedPlaces(variant.files[i], here)) absl::StrAppend(&message, "\n  no ", place);
  }
  for (const std::string& place : SearchedPlaces(variant.whole, here)) absl::StrAppend(&message, "\n  no ", place);
  return absl::NotFoundError(absl::StrCat(message, "\n  ", Cure(variant)));
}

// The seeded weights that the flag --weights, `weights`, asks for.
absl::StatusOr<Seeded> ChooseSeeded(const std::string& weights) {
  const SourceChoice choice = ParseSourceChoice(*FLAGS_layout, *FLAGS_state_dict, *FLAGS_prefix);
  if (choice.layout != "auto" && choice.layout != "original") {
    return absl::InvalidArgumentError(
        absl::StrCat("--layout=", choice.layout, ": seeded weights have the original layout only"));
  }
  if (choice.state_dict) {
    return absl::InvalidArgumentError(absl::StrCat(FLAGS_prefix->empty() ? "--state_dict" : "--prefix",
                                                   " is for checkpoints: seeded weights have the original keys alone"));
  }
  if (*FLAGS_resample)
    return absl::InvalidArgumentError("--resample is for checkpoints: seeded weights have the model's size");
  return ParseSeeded(weights);
}

absl::StatusOr<CheckpointFiles> MakeFiles(const std::vector<std::string>& paths) {
  ASSIGN_OR_RETURN(CheckpointFiles files, MakeCheckpointFiles(paths, *FLAGS_layout, *FLAGS_state_dict, *FLAGS_prefix));
  for (CheckpointFile& file : files) file.choice.resample = *FLAGS_resample;
  return files;
}

absl::Status CheckOneSource() {
  if (FLAGS_weights->empty() || FLAGS_checkpoint->empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("--checkpoint and --weights exclude each other: give one of them");
}

// FailedPrecondition: arguments of `recognised`, the model of `request`, follow from others by no rule, and none is
// set.
absl::Status CheckGiven(const RecognisedModel& recognised, const ArtifactRequest& request) {
  std::vector<std::string> missing;
  for (const std::string& name : recognised.asked) {
    if (request.arguments.count(name) == 0) missing.push_back(name);
  }
  if (missing.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      *FLAGS_checkpoint, ": fits ", request.entry.variant->name, " with the arguments ",
      ArgumentsText(recognised.arguments), ", which do not tell ", absl::StrJoin(missing, " and "),
      "\n  as in the code that trained the model: --set=", FLAGS_set->empty() ? "" : absl::StrCat(*FLAGS_set, ","),
      ArgumentsText(PlaceholdersOf(missing))));
}

// Sets the model of `request` to that of the flag --model, or else to the one that the checkpoint fits, with the
// arguments that the file tells, and returns that.
absl::StatusOr<absl::optional<RecognisedModel>> ChooseModel(const Registry& registry, ArtifactRequest& request) {
  ASSIGN_OR_RETURN(const Registry searched, SearchedRegistry(registry, *FLAGS_family, *FLAGS_model));
  if (!FLAGS_model->empty()) {
    ASSIGN_OR_RETURN(request.entry, registry.Find(*FLAGS_model));
    return absl::nullopt;
  }
  ASSIGN_OR_RETURN(const CheckpointFiles files, MakeFiles(ResolveUserPaths(*FLAGS_checkpoint)));
  ASSIGN_OR_RETURN(const std::vector<GivenCheckpoint> given, OpenGiven(files));
  ASSIGN_OR_RETURN(const RecognisedModel recognised, RecogniseModel(searched, given));
  request.entry = recognised.entry;
  if (!recognised.arguments.empty()) {
    RETURN_IF_ERROR(SetArguments(ArgumentsText(recognised.arguments), request));
  }
  return recognised;
}

// The file that an artifact called `name` gets by default. A model that the catalog lacks is named after its weights,
// but its artifact never takes their place.
std::string DefaultFile(const ArtifactRequest& request, const std::string& name, bool is_of_catalog) {
  const std::vector<std::string> paths = CheckpointPaths(request.weights);
  const absl::string_view ending = FormatOf(*request.target).ending();
  if (is_of_catalog || paths.size() != 1) return absl::StrCat(name, ending);
  const std::filesystem::path weights(paths.front());
  const std::string stem = weights.stem().string();
  const std::string wrapper(absl::StripPrefix(name, request.entry.variant->name));
  const std::string file = absl::StrCat(stem, wrapper, ending);
  return weights.filename() == file ? absl::StrCat(stem, "_", name, ending) : file;
}

}  // namespace

FlagGroup ExportFlags() { return flags + HostFlags() + RegistryFlags(); }

absl::StatusOr<std::string> ChooseForModel(IfNotFound if_not_found, ArtifactRequest& request) {
  if (!FLAGS_set->empty()) RETURN_IF_ERROR(SetArguments(*FLAGS_set, request));
  const Variant& variant = *request.entry.variant;
  WeightSource& source = request.weights;
  const std::string checkpoint = *FLAGS_checkpoint, weights = *FLAGS_weights;
  if (!weights.empty() && weights != "published") {
    ASSIGN_OR_RETURN(source, ChooseSeeded(weights));
    return "";
  }
  if (const std::vector<std::string> paths = ResolveUserPaths(checkpoint); !paths.empty()) {
    if (paths.size() > 1 && variant.files.size() == 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--checkpoint=", checkpoint, ": ", variant.name, " is one file, not several"));
    }
    ASSIGN_OR_RETURN(source, MakeFiles(paths));
    return "";
  }
  const std::string here = ResolveUserPath(".");
  const std::vector<std::string> found = FindCheckpoints(request.entry, here);
  if (!AllFound(found) && !weights.empty()) return NoneFound("--weights=published", variant, found, here);
  if (!AllFound(found) && if_not_found == IfNotFound::kFail) {
    const absl::Status none = NoneFound("--weights is not given", variant, found, here);
    return absl::NotFoundError(absl::StrCat(
        none.message(), "\n  or pass --weights=seeded for weights that predict nothing, to try the steps"));
  }
  if (AllFound(found)) {
    ASSIGN_OR_RETURN(source, MakeFiles(found));
  }
  return DescribeChoice(variant, found);
}

absl::StatusOr<ExportOptions> ParseExportOptions() {
  RETURN_IF_ERROR(CheckOneSource());
  ExportOptions options;
  options.prove = *FLAGS_verify;
  options.allow_nonfinite = *FLAGS_allow_nonfinite;
  ArtifactRequest& request = options.request;
  request.with_preprocess = *FLAGS_with_preprocess;
  request.wrapper = *FLAGS_wrapper;
  if (!FLAGS_sizes->empty()) RETURN_IF_ERROR(SetSizes(*FLAGS_sizes, request));
  if (!FLAGS_knob->empty()) RETURN_IF_ERROR(SetKnobs(*FLAGS_knob, request));
  if (const absl::optional<int64_t> opset = *FLAGS_opset) {
    if (*opset < 1 || *opset > 100) return absl::InvalidArgumentError("--opset: wants 17 to 22");
    request.opset = static_cast<int>(*opset);
  }
  if (!FLAGS_outputs->empty()) request.outputs = absl::StrSplit(*FLAGS_outputs, ',');
  const absl::optional<DType> dtype = ParseDType(*FLAGS_dtype);
  if (!dtype || !IsArtifactDType(*dtype)) {
    return absl::InvalidArgumentError(absl::StrCat("--dtype=", *FLAGS_dtype, ": wants float32, float16 or bfloat16"));
  }
  request.dtype = *dtype;
  ASSIGN_OR_RETURN(const HostRequest host, ParseHostRequest());
  request.target = host.target;
  request.runtime = host.runtime;
  return options;
}

std::string OutPath(absl::string_view name) {
  const std::string out = *FLAGS_out;
  return ResolveUserPath(out.empty() ? std::string(name) : out);
}

absl::Status ModelMissing() {
  return absl::InvalidArgumentError(absl::StrCat("--model is missing: ", ToolCall("list"), " shows the models, ",
                                                 ToolCall("inspect", "--checkpoint=FILE"), " those that a file fits"));
}

absl::StatusOr<ExportRequest> ParseExportRequest(const BuiltIn& built_in) {
  if (FLAGS_model->empty() && FLAGS_checkpoint->empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--model is missing: ", ToolCall("list"),
                     " shows the models; with --checkpoint=FILE it is the one that the file fits"));
  }
  ASSIGN_OR_RETURN(ExportOptions options, ParseExportOptions());
  ASSIGN_OR_RETURN(Registry registry, LoadRegistry(built_in));
  ASSIGN_OR_RETURN(const absl::optional<RecognisedModel> recognised, ChooseModel(registry, options.request));
  const bool is_of_catalog = options.request.arguments.empty();
  ASSIGN_OR_RETURN(std::string notes, ChooseForModel(IfNotFound::kSeed, options.request));
  if (recognised) {
    RETURN_IF_ERROR(CheckGiven(*recognised, options.request));
    notes = absl::StrCat("recognised ", recognised->entry.variant->name, ", ", recognised->reason, "\n", notes);
  }
  ASSIGN_OR_RETURN(const std::string name, NameOfArtifact(options.request));
  options.out = OutPath(DefaultFile(options.request, name, is_of_catalog));
  return ExportRequest{std::move(registry), std::move(options), std::move(notes)};
}

}  // namespace modelport
