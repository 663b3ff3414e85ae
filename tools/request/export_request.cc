#include "tools/request/export_request.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "artifact/build/formats.h"
#include "common/io/mapped_file.h"
#include "common/keymap/source_choice.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "registry/recognise/assign_files.h"
#include "registry/recognise/find_checkpoint.h"
#include "registry/recognise/infer_models.h"
#include "registry/recognise/recognise_model.h"
#include "targets/targets.h"
#include "tools/command/tool_call.h"
#include "tools/command/user_path.h"

namespace modelport {
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
    if (std::string place = PublishedAddress(file); !place.empty()) places.push_back(std::move(place));
  }
  if (places.empty()) {
    return absl::StrCat("pass --checkpoint=FILE", variant.files.size() > 1 ? ",FILE" : "",
                        " if you have its weights: the plugin names no place where they are published");
  }
  const std::string whole = PublishedAddress(variant.whole);
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

// The seeded weights that --weights asks for.
absl::StatusOr<Seeded> ChooseSeeded(const ExportFlags& flags) {
  const SourceChoice choice = ParseSourceChoice(*flags.source.layout, *flags.source.state_dict, *flags.source.prefix);
  if (choice.layout != "auto" && choice.layout != "original") {
    return absl::InvalidArgumentError(
        absl::StrCat("--layout=", choice.layout, ": seeded weights have the original layout only"));
  }
  if (choice.state_dict) {
    return absl::InvalidArgumentError(absl::StrCat(flags.source.prefix->empty() ? "--state_dict" : "--prefix",
                                                   " is for checkpoints: seeded weights have the original keys alone"));
  }
  if (*flags.resample)
    return absl::InvalidArgumentError("--resample is for checkpoints: seeded weights have the model's size");
  return ParseSeeded(*flags.weights);
}

absl::StatusOr<CheckpointFiles> MakeFiles(const ExportFlags& flags, const std::vector<std::string>& paths) {
  ASSIGN_OR_RETURN(CheckpointFiles files, flags.source.Files(paths));
  for (CheckpointFile& file : files) file.choice.resample = *flags.resample;
  return files;
}

// FailedPrecondition: arguments of `recognised`, the model of `request`, follow from others by no rule, and none is
// set.
absl::Status CheckGiven(const ExportFlags& flags, const RecognisedModel& recognised, const ArtifactRequest& request) {
  std::vector<std::string> missing;
  for (const std::string& name : recognised.asked) {
    if (request.arguments.count(name) == 0) missing.push_back(name);
  }
  if (missing.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      *flags.checkpoint, ": fits ", request.entry.variant->name, " with the arguments ",
      ArgumentsText(recognised.arguments), ", which do not tell ", absl::StrJoin(missing, " and "),
      "\n  as in the code that trained the model: --set=", flags.set->empty() ? "" : absl::StrCat(*flags.set, ","),
      ArgumentsText(PlaceholdersOf(missing))));
}

// Sets the model of `request` to that of the flag --model, or else to the one that the checkpoint fits, with the
// arguments that the file tells, and returns that.
absl::StatusOr<absl::optional<RecognisedModel>> ChooseModel(const ExportFlags& flags, const Registry& registry,
                                                            ArtifactRequest& request) {
  if (!flags.model->empty()) {
    ASSIGN_OR_RETURN(request.entry, registry.Find(*flags.model));
    return absl::nullopt;
  }
  ASSIGN_OR_RETURN(const Registry searched, SearchedRegistry(registry, *flags.family));
  ASSIGN_OR_RETURN(const CheckpointFiles files, MakeFiles(flags, ResolveUserPaths(*flags.checkpoint)));
  ASSIGN_OR_RETURN(const std::vector<GivenCheckpoint> given, OpenGiven(files));
  ASSIGN_OR_RETURN(const RecognisedModel recognised, RecogniseModel(searched, given));
  request.entry = recognised.entry;
  if (!recognised.arguments.empty()) {
    RETURN_IF_ERROR(SetArguments(ArgumentsText(recognised.arguments), request));
  }
  return recognised;
}

// The text of the file at `path`, which each artifact holds.
absl::StatusOr<std::string> ReadLicence(const std::string& path) {
  constexpr size_t kMost = 1 << 20;
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::OpenCopy(path));
  const absl::string_view text = file->bytes();
  if (!text.empty() && text.size() <= kMost && IsUtf8(text) && !absl::StrContains(text, '\0')) return std::string(text);
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": is no text in UTF-8 of 1 byte to 1 MiB; save the licence as a text file"));
}

// The file that the artifact gets by default. A model that the catalog lacks is named after its weights, but its
// artifact never takes their place.
absl::StatusOr<std::string> DefaultFile(const ArtifactRequest& request, bool is_of_catalog) {
  const std::vector<std::string> paths = CheckpointPaths(request.weights);
  const absl::string_view ending = FormatOf(*request.target).ending();
  ASSIGN_OR_RETURN(const std::string name, NameOfArtifact(request));
  if (is_of_catalog || paths.size() != 1) return absl::StrCat(name, ending);
  const std::filesystem::path weights(paths.front());
  const std::string stem = weights.stem().string();
  ASSIGN_OR_RETURN(const std::string own, NameOfArtifact(request, stem));
  const std::string file = absl::StrCat(own, ending);
  return weights.filename() == file ? absl::StrCat(stem, "_", name, ending) : file;
}

}  // namespace

ExportFlags::ExportFlags(FlagGroup& group)
    : weights(group, "weights", "",
              "published: end with an error if no checkpoint is found; seeded or seeded:SEED: weights made by a rule, "
              "which predict nothing, for structure checks; by default published if a checkpoint is found, else "
              "seeded, or for a package an error"),
      source(group),
      resample(group, "resample", false,
               "make a table of positions that the checkpoint has for another image size one of the model's, as timm "
               "does; by default a model of that size is taken"),
      with_preprocess(group, "with_preprocess", false,
                      "put the model's own preparation of images into the artifact, which then takes images of any "
                      "size, uint8 or 0..1"),
      wrapper(group, "wrapper", "",
              absl::StrCat("with ", WrappingTargetFlags(), ": which of the model's nodes to make, by the name that ",
                           ToolCall("list"), " shows; by default the first")),
      outputs(group, "outputs", "",
              "the outputs of the model's forward to keep, such as depth, or several with commas between; the others "
              "are left out, with the code and the weights that only they need; by default all are kept"),
      set(group, "set", "",
          "other values for arguments of the model, as its plugin.yaml writes them: max_depth=35, or several with "
          "commas between; the weights have to be made for them"),
      method(group, "method", "",
             "the method that an ONNX file computes, one of the model's entry points, such as image_features of DINOv2 "
             "or encode of SAM 2; by default forward"),
      sizes(group, "sizes", "",
            "sizes of the inputs that an ONNX file has fixed, by their letters in the model's shapes, such as "
            "B=1,H=518,W=518; others stay free"),
      opset(group, "opset", absl::nullopt, "the opset of an ONNX file, 17 to 22; by default 17, which most hosts load"),
      external_data(group, "external_data", false,
                    "put the weights of an ONNX file into a file of their own beside it, NAME.onnx.data, as is always "
                    "done where it would have 2 GB"),
      licence_file(group, "licence_file", "",
                   absl::StrCat("the licence of the weights, a text file: the artifact brings its text along, and a "
                                "package has it as ",
                                kLicenceFile)),
      family(group, "family", "",
             "without --model: the family, such as dinov2, of which the checkpoint is a model; by default all are "
             "searched"),
      verify(group, "verify", true, "load the artifact back and compare it; --noverify leaves that out"),
      allow_nonfinite(group, "allow_nonfinite", false,
                      "let NaN and infinite weights and outputs through; the manifest counts the outputs"),
      knob(group, "knob", "",
           "other values for knobs of the model's node in a host, such as convention=1,max_size=512; in an ONNX file "
           "knobs are constants"),
      model(group, "model", "",
            absl::StrCat("the variant to export, such as dav2_vits; ", ToolCall("list"),
                         " shows all; by default the one that --checkpoint fits, if there is only one")),
      checkpoint(group, "checkpoint", "",
                 "the published file of weights, or several with commas between for a model of several files; by "
                 "default they are looked for here and in the Hugging Face cache (see --weights)"),
      name(group, "name", "",
           "the name of the artifact and of its node in a host, such as near_depth; by default the model's name with "
           "the node's behind it"),
      out(group, "out", "", "the file to write; by default it is named after the model, in the current folder"),
      dtype(group, "dtype", "float32", "dtype of the artifact's weights: float32, float16 or bfloat16"),
      host(group),
      registry(group) {
  checkpoint.NotWith({&weights}, "the weights come from one of both");
  family.NotWith({&model}, "a model has its family");
}

FlagGroup ExportFlags::ThatMakeArtifact() {
  return {&model,    &checkpoint,   &weights,         &source.layout, &source.state_dict, &source.prefix,
          &resample, &family,       &allow_nonfinite, &wrapper,       &with_preprocess,   &outputs,
          &set,      &method,       &sizes,           &opset,         &external_data,     &dtype,
          &name,     &host.runtime, &licence_file};
}

FlagGroup ExportFlags::OfWrittenArtifact() {
  return {&name, &verify, &method, &sizes, &opset, &external_data, &licence_file};
}

absl::StatusOr<std::string> ChooseForModel(const ExportFlags& flags, const std::string& checkpoint,
                                           IfNotFound if_not_found, ArtifactRequest& request) {
  if (!flags.set->empty()) RETURN_IF_ERROR(SetArguments(*flags.set, request));
  const Variant& variant = *request.entry.variant;
  WeightSource& source = request.weights;
  const std::string weights = *flags.weights;
  if (!weights.empty() && weights != "published") {
    ASSIGN_OR_RETURN(source, ChooseSeeded(flags));
    return "";
  }
  if (const std::vector<std::string> paths = ResolveUserPaths(checkpoint); !paths.empty()) {
    if (paths.size() > 1 && variant.files.size() == 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--checkpoint=", checkpoint, ": ", variant.name, " is one file, not several"));
    }
    ASSIGN_OR_RETURN(source, MakeFiles(flags, paths));
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
    ASSIGN_OR_RETURN(source, MakeFiles(flags, found));
  }
  return DescribeChoice(variant, found);
}

absl::StatusOr<ExportOptions> ParseExportOptions(const ExportFlags& flags, const HostRequest& host) {
  ExportOptions options;
  options.prove = *flags.verify;
  options.allow_nonfinite = *flags.allow_nonfinite;
  ArtifactRequest& request = options.request;
  request.with_preprocess = *flags.with_preprocess;
  request.wrapper = *flags.wrapper;
  request.external_data = *flags.external_data;
  if (!flags.method->empty()) request.method = *flags.method;
  if (!IsArtifactName(request.method)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--method=", Brief(request.method), ": wants the name of a method, such as image_features"));
  }
  if (!flags.sizes->empty()) RETURN_IF_ERROR(SetSizes(*flags.sizes, request));
  if (!flags.knob->empty()) RETURN_IF_ERROR(SetKnobs(*flags.knob, request));
  if (const absl::optional<int64_t> opset = *flags.opset) {
    if (*opset < 1 || *opset > 100) return absl::InvalidArgumentError("--opset: wants 17 to 22");
    request.opset = static_cast<int>(*opset);
  }
  if (!flags.outputs->empty()) request.outputs = absl::StrSplit(*flags.outputs, ',');
  const absl::optional<DType> dtype = ParseDType(*flags.dtype);
  if (!dtype || !IsArtifactDType(*dtype)) {
    return absl::InvalidArgumentError(absl::StrCat("--dtype=", *flags.dtype, ": wants float32, float16 or bfloat16"));
  }
  request.dtype = *dtype;
  request.name = *flags.name;
  if (!request.name.empty() && !IsArtifactName(request.name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--name=", Brief(request.name),
                     ": wants a letter and up to 63 letters, digits and underscores behind it, "
                     "which every host takes for the name of a node"));
  }
  request.target = host.target;
  request.runtime = host.runtime;
  if (!flags.licence_file->empty()) {
    ASSIGN_OR_RETURN(request.licence_text, ReadLicence(ResolveUserPath(*flags.licence_file)));
  }
  return options;
}

std::string OutPath(const ExportFlags& flags, absl::string_view name) {
  const std::string out = *flags.out;
  return ResolveUserPath(out.empty() ? std::string(name) : out);
}

absl::Status ModelMissing() {
  return absl::InvalidArgumentError(absl::StrCat("--model is missing: ", ToolCall("list"), " shows the models, ",
                                                 ToolCall("inspect", "--checkpoint=FILE"), " those that a file fits"));
}

absl::StatusOr<ExportRequest> ParseExportRequest(const BuiltIn& built_in, const ExportFlags& flags) {
  if (flags.model->empty() && flags.checkpoint->empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--model is missing: ", ToolCall("list"),
                     " shows the models; with --checkpoint=FILE it is the one that the file fits"));
  }
  ASSIGN_OR_RETURN(const HostRequest host, ParseHostRequest(flags.host));
  ASSIGN_OR_RETURN(ExportOptions options, ParseExportOptions(flags, host));
  ASSIGN_OR_RETURN(Registry registry, LoadRegistry(built_in, flags.registry));
  ASSIGN_OR_RETURN(const absl::optional<RecognisedModel> recognised, ChooseModel(flags, registry, options.request));
  const bool is_of_catalog = options.request.arguments.empty();
  ASSIGN_OR_RETURN(std::string notes, ChooseForModel(flags, *flags.checkpoint, IfNotFound::kSeed, options.request));
  if (recognised) {
    RETURN_IF_ERROR(CheckGiven(flags, *recognised, options.request));
    notes = absl::StrCat("recognised ", recognised->entry.variant->name, ", ", recognised->reason, "\n", notes);
  }
  ASSIGN_OR_RETURN(const std::string file, DefaultFile(options.request, is_of_catalog));
  options.out = OutPath(flags, file);
  return ExportRequest{std::move(registry), std::move(options), std::move(notes)};
}

}  // namespace modelport
