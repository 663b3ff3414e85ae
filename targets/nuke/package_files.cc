#include "targets/nuke/package_files.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "common/torchscript/runtime/runtime.h"
#include "targets/nuke/model_icon.h"
#include "targets/nuke/node_knobs.h"
#include "targets/nuke/nuke_release.h"
#include "targets/nuke/templates.h"

namespace modelport {
namespace {

// The page of a model's folder, the one of a folder for a node that runs one of several models, and a section of both.
constexpr absl::string_view kPage = "README.md", kChoicePage = "choice.md", kInAndOut = "in_and_out.md";

// Within the quotes of JSON and Python.
std::string EscapeQuoted(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
}

// Within the cells of a table.
std::string EscapeMarkdown(absl::string_view text) { return absl::StrReplaceAll(text, {{"|", "\\|"}, {"\n", " "}}); }

std::function<std::string(absl::string_view)> EscapeOf(absl::string_view name) {
  if (absl::EndsWith(name, ".nk") || absl::EndsWith(name, ".gizmo")) return EscapeTcl;
  if (absl::EndsWith(name, ".md")) return EscapeMarkdown;
  return EscapeQuoted;
}

// The name of a template's file in the package, "" for an icon of other packages: those of depth have icon_depth.png,
// or icon_depth_seeded.png for seeded weights.
std::string FileName(absl::string_view path, const Manifest& manifest) {
  absl::string_view name = path.substr(path.rfind('/') + 1);
  if (name == kChoicePage || name == kInAndOut) return "";
  if (absl::ConsumePrefix(&name, "model")) return absl::StrCat(ArtifactName(manifest), name);
  if (!absl::ConsumePrefix(&name, "icon_")) return std::string(name);
  const std::string icon = absl::StrCat(manifest.interface().kind(), manifest.warning().empty() ? "" : "_seeded");
  if (!absl::ConsumePrefix(&name, icon) || (name != ".png" && name != "@2x.png")) return "";
  return absl::StrCat(ArtifactName(manifest), name);
}

// The templates with `data`; `name_of` gives the name of each file in the folder, or "" for one that is left out. The
// icons are those of the artifact `icon_name`.
absl::StatusOr<std::vector<PackageFile>> FilledTemplates(
    TemplateData data, const std::string& icon_name, absl::FunctionRef<std::string(absl::string_view path)> name_of) {
  ASSIGN_OR_RETURN(const absl::string_view in_and_out, FindEmbedded(NukeTemplates(), kInAndOut));
  ASSIGN_OR_RETURN(data.verbatim["in_and_out"], FillTemplate(in_and_out, data, EscapeOf(kInAndOut)));
  std::vector<PackageFile> files;
  for (const EmbeddedFile& source : NukeTemplates()) {
    PackageFile file = {name_of(source.path), std::string(source.text)};
    if (file.name.empty()) continue;
    if (absl::EndsWith(file.name, ".png")) {
      ASSIGN_OR_RETURN(file.text, ModelIcon(source.text, icon_name));
    } else {
      ASSIGN_OR_RETURN(file.text, FillTemplate(source.text, data, EscapeOf(file.name)));
    }
    files.push_back(std::move(file));
  }
  return files;
}

// The knobs that the gizmo has itself, and the values of every node.
const std::set<std::string>& KnobsOfTheNode() {
  static const auto* const knobs = [] {
    auto* const own =
        new std::set<std::string>{"name",    "label", "width", "height", "frame",       "input",      "parent",
                                  "disable", "bbox",  "root",  "this",   "first_frame", "last_frame", "format"};
    for (const EmbeddedFile& file : NukeTemplates()) {
      if (!absl::EndsWith(file.path, ".gizmo")) continue;
      for (const absl::string_view line : absl::StrSplit(file.text, '\n')) {
        const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
        if (words.size() > 2 && words[0] == "addUserKnob") own->insert(words[2]);
      }
    }
    return own;
  }();
  return *knobs;
}

// ": 0 metres, 1 feet"; "" for a knob whose values have no names.
std::string ChoicesText(const Manifest::Knob& knob) {
  std::vector<std::string> choices;
  for (const std::string& choice : knob.choices()) choices.push_back(absl::StrCat(choices.size(), " ", choice));
  return choices.empty() ? "" : absl::StrCat(": ", absl::StrJoin(choices, ", "));
}

TemplateValues KnobValues(const Manifest::Knob& knob) {
  return {{"choices", ChoicesText(knob)},      {"name", knob.name()},
          {"label", KnobLabel(knob.name())},   {"type", knob.type()},
          {"value", KnobNumber(knob.value())}, {"min", KnobNumber(knob.min())},
          {"max", KnobNumber(knob.max())},     {"help", knob.help()}};
}

// The output as a sentence names it.
std::string OutputName(absl::string_view kind) { return kind == "matte" ? "a matte" : std::string(kind); }

// The output with its unit and direction: "depth, metres, larger is farther, while the knobs have their defaults".
std::string OutputText(const Manifest& manifest) {
  const Manifest::Result& output = MainOutput(manifest);
  const bool has_either = !output.unit().empty() || !output.larger_is().empty();
  return absl::StrCat(OutputName(manifest.interface().kind()), output.unit().empty() ? "" : ", ", output.unit(),
                      output.larger_is().empty() ? "" : ", larger is ", output.larger_is(),
                      has_either ? ", while the knobs have their defaults" : "");
}

bool IsSeeded(const Manifest& manifest) { return !manifest.warning().empty(); }

std::string Title(const Manifest& manifest) {
  const std::string& model = TitleOf(manifest);
  return absl::StrCat(model, manifest.request().wrapper().empty() ? "" : " ", manifest.request().wrapper());
}

// The name that the artifact has by itself.
std::string ModelName(const Manifest& manifest) {
  return ArtifactName(manifest.request().model(), manifest.request().wrapper());
}

// The name of the node in menus, where a slash would begin a submenu.
std::string DisplayName(const Manifest& manifest) {
  std::string name = manifest.request().name().empty() ? Title(manifest) : manifest.request().name();
  // Of a package for one of several Nukes the name has the release behind it.
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(manifest.request().name(), absl::ByString("_nuke"));
  const auto is_of_release = [](char c) { return absl::ascii_isdigit(c) || c == '_'; };
  if (!parts.second.empty() && std::all_of(parts.second.begin(), parts.second.end(), is_of_release)) {
    name = absl::StrCat(parts.first == ModelName(manifest) ? Title(manifest) : std::string(parts.first), " (Nuke ",
                        absl::StrReplaceAll(parts.second, {{"_", "."}}), ")");
  }
  return absl::StrCat(absl::StrReplaceAll(name, {{"/", "-"}}), IsSeeded(manifest) ? " SEEDED" : "");
}

// The version of a package: equal for equal artifacts.
std::string Version(const Manifest& manifest) {
  return absl::StrCat(manifest.modelport_version(), "-", manifest.artifact().sha256().substr(0, 8));
}

// ", the published file", for the end of a sentence on the source.
std::string Origin(const Manifest& manifest) {
  const std::string origin = WeightsOrigin(manifest);
  return origin.empty() ? "" : absl::StrCat(", ", origin);
}

// The layer for an output that has no layer of its own in Nuke; "" for depth, which has one, and for colour, which
// replaces the image.
std::string OwnLayer(const Manifest::Interface& interface) {
  const auto is_rgba = [](const std::string& channel) { return absl::StartsWith(channel, "rgba."); };
  const auto& channels = interface.channels_out();
  if (interface.kind() == "colour" || !std::all_of(channels.begin(), channels.end(), is_rgba)) return "";
  return interface.kind();
}

TemplateValues Values(const Manifest& manifest) {
  return {{"model", ArtifactName(manifest)},
          {"title", Title(manifest)},
          {"display", DisplayName(manifest)},
          {"version", Version(manifest)},
          {"origin", Origin(manifest)},
          {"seeded_prefix", IsSeeded(manifest) ? "SEEDED weights, which predict nothing. " : ""},
          {"layer", OwnLayer(manifest.interface())},
          {"summary", manifest.summary()},
          {"minimum_runtime", manifest.minimum_runtime()},
          {"category", manifest.interface().category()},
          {"output", OutputName(manifest.interface().kind())},
          {"unit", MainOutput(manifest).unit()},
          {"output_text", OutputText(manifest)},
          {"multiple_of", absl::StrCat(manifest.interface().multiple_of())},
          {"dtype", manifest.request().dtype()},
          {"stored_half", manifest.request().dtype() == "float16" ? "true" : "false"},
          {"source", WeightsSource(manifest)},
          {"larger_is", MainOutput(manifest).larger_is()},
          {"artifact_sha256", manifest.artifact().sha256()},
          {"weights_name", HasPublishedWeights(manifest) == Published::kNo ? "published weights" : "weights"},
          {"weights_licence", LicenceText(manifest)},
          {"weights_url", manifest.weights_url().empty() ? "not published" : manifest.weights_url()},
          {"upstream_source", manifest.upstream().source()},
          {"upstream_commit", manifest.upstream().commit()},
          {"upstream_licence", manifest.upstream().licence()},
          {"modelport_version", manifest.modelport_version()}};
}

void AddKnobs(const Manifest& manifest, TemplateData& data) {
  data.verbatim["knob_links"] = KnobLinks(manifest);
  data.verbatim["knob_lines"] = KnobLines(manifest);
  data.lists["shows_knobs"] = KeepIf(!data.verbatim["knob_lines"].empty());
  const auto is_computed = [&](const Manifest::Knob& knob) { return IsComputed(knob, manifest); };
  data.lists["timed"] = KeepIf(std::any_of(manifest.knobs().begin(), manifest.knobs().end(), is_computed));
  for (const char* list : {"knobs", "int_knobs", "float_knobs", "places"}) data.lists[list] = {};
  for (const Manifest::Knob& knob : manifest.knobs()) {
    const TemplateValues values = KnobValues(knob);
    data.lists["knobs"].push_back(values);
    data.lists[absl::StrCat(knob.type(), "_knobs")].push_back(values);
  }
  if (const std::vector<PlaceKnob> places = PlaceKnobs(manifest); !places.empty()) {
    data.lists["places"].push_back(
        {{"name", KnobLabel(places.front().name)}, {"parts", absl::StrJoin(places.front().parts, "` and `")}});
  }
}

// What the model takes beside red, green and blue of one frame, which a second input of the node can give.
std::vector<std::string> AsideChannels(const Manifest::Interface& interface) {
  const auto& channels = interface.channels_in();
  if (!interface.frames().empty() || channels.size() <= 3) return {};
  return {channels.begin() + 3, channels.end()};
}

void AddAside(const Manifest::Interface& interface, TemplateData& data) {
  const std::vector<std::string> channels = AsideChannels(interface);
  std::vector<TemplateValues> rows;
  for (const std::string& channel : channels)
    rows.push_back({{"index", absl::StrCat(rows.size())}, {"channel", channel}});
  data.lists["aside"] = KeepIf(!channels.empty());
  data.lists["aside_channels"] = std::move(rows);
  // "alpha" of "rgba.alpha", "depth" of "depth.Z".
  const std::vector<std::string> parts = absl::StrSplit(channels.empty() ? "." : channels.front(), '.');
  data.values["aside_name"] = parts[0] == "rgba" ? parts[1] : parts[0];
  data.values["aside_text"] = absl::StrJoin(channels, ", ");
}

// Whether the node gives the motion by which it retimes the plate's other channels behind the colours between two
// frames.
bool IsRetimer(const Manifest::Interface& interface) {
  return interface.kind() == "colour" && interface.channels_out_size() > 3;
}

void AddChannels(const Manifest::Interface& interface, TemplateData& data) {
  data.values["channels_in"] = absl::StrJoin(interface.channels_in(), ",");
  data.values["channels_out"] = absl::StrJoin(interface.channels_out(), ",");
  const std::string layer = OwnLayer(interface);
  std::vector<TemplateValues> channels;
  std::vector<std::string> own_names;
  for (const std::string& channel : interface.channels_out()) {
    own_names.push_back(layer.empty() ? channel : absl::StrReplaceAll(channel, {{"rgba.", absl::StrCat(layer, ".")}}));
    channels.push_back({{"index", absl::StrCat(channels.size())}, {"channel", channel}, {"own", own_names.back()}});
  }
  data.values["layer_channels"] = absl::StrJoin(own_names, " ");
  const bool is_retimer = IsRetimer(interface);
  data.lists["retimer"] = KeepIf(is_retimer);
  data.values["passing"] = is_retimer || !layer.empty() ? "" : " All other channels pass through.";
  data.lists["motion"] = {};
  if (is_retimer) {
    for (int i = 0; i < 4; ++i) {
      data.lists["motion"].push_back({{"index", absl::StrCat(i)}, {"channel", interface.channels_out(3 + i)}});
    }
    channels.resize(3);
  }
  data.lists["own_layer"] = KeepIf(!layer.empty());
  data.lists["replaced_channels"] = layer.empty() ? std::vector<TemplateValues>() : channels;
  data.lists["channels"] = std::move(channels);
}

// A channel as 0 to 1 over the range that the knobs set.
std::string InRange(const std::string& channel, bool is_depth) {
  const std::string ranged =
      absl::StrCat("(", channel, " - parent.preview_low) / (parent.preview_high == parent.preview_low ? 1 : ",
                   "parent.preview_high - parent.preview_low)");
  // Depth that is remapped is 0 to 1.
  return absl::StrCat("min(1, max(0, ", is_depth ? absl::StrCat("parent.remap ? ", channel, " : ", ranged) : ranged,
                      "))");
}

// Numbers of 0 to 1 in a channel of the rainbow from blue to red, whose middle is at `peak` of 4 quarters.
std::string RainbowOf(const std::string& numbers, int peak) {
  return absl::StrCat("min(1, max(0, 1.5 - abs(4 * ", numbers, " - ", peak, ")))");
}

// Motion, right and up, in colours that turn with its direction: of red, green and blue, which are thirds of a turn
// apart, the one that it points to is brightest, and rest is grey.
std::string DirectionOf(const std::string& right, const std::string& up, int primary) {
  const std::vector<std::string> parts = {right, absl::StrCat("(", up, " * 0.866 - ", right, " * 0.5)"),
                                          absl::StrCat("(0 - ", up, " * 0.866 - ", right, " * 0.5)")};
  return absl::StrCat("min(1, max(0, 0.5 + ", parts[primary], " / (2 * max(parent.preview_high, 0.001))))");
}

// A motion that a node gives, as its preview names it, and the channels of its parts.
struct Motion {
  std::string name, right, up;
};

// Those into the next image and into the one before; of a node of other channels the first two.
std::vector<Motion> MotionsOf(const Manifest::Interface& interface, const std::vector<std::string>& own) {
  std::vector<Motion> motions;
  if (interface.kind() != "flow" && !IsRetimer(interface)) return motions;
  const auto has = [&](const std::string& channel) { return std::count(own.begin(), own.end(), channel) > 0; };
  for (const std::string name : {"forward", "backward"}) {
    if (has(name + ".u") && has(name + ".v")) motions.push_back({name, name + ".u", name + ".v"});
  }
  if (motions.empty() && own.size() > 1) motions.push_back({"on", own[0], own[1]});
  return motions;
}

// Those of the parts that the preview shows.
std::string Shown(const std::vector<Motion>& motions, std::string Motion::*part) {
  if (motions.size() == 1) return motions[0].*part;
  return absl::StrCat("(parent.preview_motion == 2 ? ", motions[1].*part, " : ", motions[0].*part, ")");
}

bool HasKnob(const Manifest& manifest, absl::string_view name) {
  const auto& knobs = manifest.knobs();
  return std::any_of(knobs.begin(), knobs.end(), [&](const Manifest::Knob& knob) { return knob.name() == name; });
}

// How the output is shown in red, green and blue. What is one number a pixel and no matte has false colours, too; what
// is colour is looked at as it is.
void AddPreview(const Manifest& manifest, TemplateData& data) {
  const std::string& kind = manifest.interface().kind();
  const std::vector<std::string> own = absl::StrSplit(data.values["layer_channels"], ' ');
  const std::vector<Motion> motions = MotionsOf(manifest.interface(), own);
  const bool is_coloured = own.size() == 1 && kind != "matte";
  const bool is_shown = kind != "colour" || !motions.empty();
  data.lists["shown"] = KeepIf(is_shown);
  data.values["shown"] = !motions.empty()                   ? "parent.preview_motion"
                         : HasKnob(manifest, "show_trimap") ? "max(parent.preview, parent.show_trimap)"
                                                            : "parent.preview";
  data.lists["previewed"] = KeepIf(is_coloured);
  data.lists["previewed_flow"] = KeepIf(!motions.empty());
  data.values["motions"] =
      absl::StrJoin(motions, " ", [](std::string* out, const Motion& motion) { out->append(motion.name); });
  data.lists["switched_preview"] = KeepIf(!is_coloured && is_shown && motions.empty());
  const bool has_unit = !MainOutput(manifest).unit().empty(), is_depth = kind == "depth";
  // Relative depth has no bounds. That of most models ends below 5.
  data.values["preview_high"] = has_unit ? "20" : is_depth ? "5" : "1";
  data.values["range_help"] = !is_depth  ? ""
                              : has_unit ? " The numbers are of depth as the knobs make it."
                                         : " The model's depth has no unit: set the numbers to what the Viewer shows.";
  data.values["shown_as"] = kind == "normals" ? ": -1 to 1 as 0 to 1" : kind == "matte" ? ", as it is" : "";
  data.values["remapped_range"] = kind == "depth" ? ", or from 0 to 1 with *Remap*" : "";
  data.lists["preview"] = {};
  for (size_t i = 0; is_shown && i < 3; ++i) {
    const std::string& shown = own[std::min(i, own.size() - 1)];
    const int primary = static_cast<int>(i);
    const std::string numbers = InRange(shown, is_depth);
    const std::string expression =
        !motions.empty()    ? DirectionOf(Shown(motions, &Motion::right), Shown(motions, &Motion::up), primary)
        : is_coloured       ? absl::StrCat("parent.preview == 1 ? ", numbers, " : ", RainbowOf(numbers, 3 - primary))
        : kind == "normals" ? absl::StrCat(shown, " / 2 + 0.5")
                            : shown;
    data.lists["preview"].push_back({{"index", absl::StrCat(i)}, {"expression", expression}});
  }
}

// The number of frames, as a word.
std::string CountText(size_t count) {
  constexpr absl::string_view kWords[] = {"no", "one", "two", "three", "four", "five", "six"};
  return count < std::size(kWords) ? std::string(kWords[count]) : absl::StrCat(count);
}

// The frames of the plate that a node takes, and where all but the first go.
void AddFrames(const Manifest& manifest, TemplateData& data) {
  const auto& frames = manifest.interface().frames();
  const auto& channels = manifest.interface().channels_in();
  const bool is_between = IsBetweenFrames(manifest), is_around = !frames.empty() && !is_between;
  const size_t count = std::max(frames.size(), 1);
  data.values["at_a_time"] = absl::StrCat("Nuke gives the model ", CountText(count),
                                          count == 1   ? " image"
                                          : is_between ? " images"
                                                       : " frames",
                                          " at a time.");
  data.values["frame_count"] = CountText(count);
  data.lists["between"] = KeepIf(is_between);
  data.values["plate"] = is_between ? "FirstFrame" : "NukeVersion";
  data.lists["unmoved"] = KeepIf(is_between && !IsRetimer(manifest.interface()));
  data.lists["around"] = KeepIf(is_around);
  // An image at the time of one of the plate's frames may be that frame; motion is not.
  const bool is_retimed = is_between && manifest.interface().kind() == "colour";
  data.lists["retimed"] = KeepIf(is_retimed);
  // What moves may leave the box of the frame before.
  data.lists["keeps_box"] = KeepIf(!is_retimed);
  data.values["kept"] = absl::StrCat(ScaleOf(manifest) > 1 ? ""
                                     : is_retimed          ? "format, "
                                                           : "format, bounding box, ",
                                     "pixel aspect and metadata");
  data.values["speed"] = is_retimed ? "0.5" : "1";
  const bool is_clipped = is_retimed && !IsRetimer(manifest.interface());
  data.lists["clipped"] = KeepIf(is_clipped);
  data.values["clipping"] = is_clipped
                                ? " Frames between the plate's own are clipped to 0 to 1, so that what is brighter "
                                  "changes from frame to frame while the plate's own are kept."
                                : "";
  std::vector<TemplateValues>&others = data.lists["other_frames"], &added = data.lists["added_frames"];
  std::vector<std::string> offsets;
  for (int i = 1; i < frames.size(); ++i) {
    offsets.push_back(absl::StrFormat("%+d", frames[i]));
    const std::string time = is_between ? "min(floor(parent.shown_frame) + 1, parent.input_last)"
                                        : absl::StrCat("frame", frames[i] < 0 ? " - " : " + ", std::abs(frames[i]));
    others.push_back({{"number", absl::StrCat(i + 1)}, {"time", time}, {"xpos", absl::StrCat(200 + 120 * i)}});
    // A Copy node takes the last two of Nuke's stack, so the last frame is the first that is added.
    const int last = frames.size() - i;
    added.push_back({{"number", absl::StrCat(last + 1)},
                     {"red", channels[3 * last]},
                     {"green", channels[3 * last + 1]},
                     {"blue", channels[3 * last + 2]},
                     {"xpos", absl::StrCat(200 + 120 * (count - 1 - i))}});
  }
  data.values["offsets"] = absl::StrJoin(offsets, ", ");
  data.values["other_channels"] =
      count == 1 ? "" : absl::StrJoin(channels.begin() + 3, channels.begin() + 3 * count, ", ");
}

void AddReleases(const Manifest& manifest, TemplateData& data) {
  for (const NukeRelease& release : NukeReleases()) {
    data.lists["releases"].push_back(
        {{"versions", std::string(release.versions)},
         {"libtorch", std::string(release.libtorch)},
         {"source", std::string(release.source)},
         {"loads", IsAtLeast(release.runtime, manifest.minimum_runtime()) ? "yes" : "no"}});
  }
}

// What the plugin says of the inputs and outputs of the node's model.
std::vector<std::string> HelpTexts(const Manifest& manifest) {
  std::vector<std::string> texts;
  for (const Manifest::Input& input : MainEntryPoint(manifest).inputs()) texts.push_back(input.help());
  for (const Manifest::Result& output : MainEntryPoint(manifest).outputs()) texts.push_back(output.help());
  std::erase(texts, "");
  return texts;
}

// One node cannot say what holds of one model.
void ClearHelp(Manifest& manifest) {
  for (Manifest::EntryPoint& entry_point : *manifest.mutable_entry_points()) {
    for (Manifest::Input& input : *entry_point.mutable_inputs()) input.clear_help();
    for (Manifest::Result& output : *entry_point.mutable_outputs()) output.clear_help();
  }
}

// A text of a plugin as a sentence. A first word such as "depth.Z" is a name and stays.
std::string AsSentence(absl::string_view text) {
  std::string sentence(text);
  const absl::string_view first = text.substr(0, text.find(' '));
  if (std::all_of(first.begin(), first.end(), absl::ascii_isalpha)) sentence[0] = absl::ascii_toupper(sentence[0]);
  if (!absl::EndsWith(sentence, ".")) sentence += ".";
  return sentence;
}

// The text in lines that a panel of usual width shows whole.
std::string InLines(absl::string_view text) {
  constexpr size_t kLine = 90;
  std::string lines;
  size_t length = 0;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    const bool is_full = length > 0 && length + 1 + word.size() > kLine;
    absl::StrAppend(&lines, length == 0 ? "" : is_full ? "\n" : " ", word);
    length = (is_full ? 0 : length + 1) + word.size();
  }
  return lines;
}

void AddHelp(const Manifest& manifest, TemplateData& data) {
  // What the node takes in a channel that an image may use otherwise stands on its first tab, too.
  const std::string aside = MainEntryPoint(manifest).inputs_size() == 0 || AsideChannels(manifest.interface()).empty()
                                ? ""
                                : MainEntryPoint(manifest).inputs(0).help();
  data.lists["aside_help"] = {};
  if (!aside.empty()) data.lists["aside_help"].push_back({{"lines", InLines(WithKnobLabels(aside, manifest))}});
  std::vector<TemplateValues>& help = data.lists["help"];
  for (const std::string& text : HelpTexts(manifest)) {
    const std::string shown = AsSentence(WithKnobLabels(text, manifest));
    help.push_back({{"sentence", AsSentence(text)}, {"lines", InLines(shown)}, {"index", absl::StrCat(help.size())}});
  }
}

void AddLicenceClaims(const Manifest& manifest, TemplateData& data) {
  data.lists["disputed"] = KeepIf(manifest.licence_claims_size() > 0);
  for (const char* list : {"licence_claims", "licence_note"}) data.lists[list] = {};
  for (const Manifest::LicenceClaim& claim : manifest.licence_claims()) {
    data.lists["licence_claims"].push_back({{"licence", claim.licence()}, {"url", claim.url()}});
  }
  if (!manifest.licence_note().empty()) data.lists["licence_note"].push_back({{"note", manifest.licence_note()}});
  const bool has_text = !manifest.request().licence_text().empty();
  data.lists["licence_text"] = KeepIf(has_text);
  data.values["licence_file"] = kLicenceFile;
  data.values["licence_deployed"] = has_text ? absl::StrCat(", `", kLicenceFile, "`") : "";
}

// How large the output is, and where it lies.
void AddSize(const Manifest& manifest, TemplateData& data) {
  const int64_t scale = ScaleOf(manifest);
  const std::string times = scale == 1 ? "" : absl::StrCat(" * ", scale);
  data.values["scale"] = absl::StrCat(scale);
  data.values["size"] = scale == 1 ? "of the size of the input" : absl::StrCat(scale, " times as large as the input");
  data.values["offset_x"] = absl::StrCat("WholeFormat.box.x", times);
  data.values["offset_y"] = absl::StrCat("WholeFormat.box.y", times);
  data.lists["larger"] = KeepIf(scale > 1);
}

// An Inference node for each of these artifacts, which all take the same image. A Switch node takes the last one of
// Nuke's stack first.
void AddInferences(const std::vector<std::string>& artifacts, TemplateData& data) {
  std::vector<TemplateValues>& inferences = data.lists["inferences"];
  inferences.clear();
  for (size_t i = artifacts.size(); i > 0; --i) {
    inferences.push_back(
        {{"artifact", artifacts[i - 1]}, {"number", absl::StrCat(i)}, {"xpos", absl::StrCat(200 + 120 * (i - 1))}});
  }
  // The first finds the image on the stack.
  inferences.front()["push"] = "";
  data.verbatim["push"] = "push $I1\n";
  data.values["model_count"] = absl::StrCat(artifacts.size());
}

// The passages of the templates that hold for some artifacts only.
void AddPassages(const Manifest& manifest, TemplateData& data) {
  const Manifest::Interface& interface = manifest.interface();
  const bool is_colour = interface.kind() == "colour";
  data.lists["colour"] = KeepIf(is_colour);
  data.lists["data"] = KeepIf(!is_colour);
  data.lists["matte"] = KeepIf(interface.kind() == "matte");
  data.lists["depth"] = KeepIf(interface.kind() == "depth");
  data.values["keeps_rgba"] =
      interface.kind() == "matte" ? "1 - max(parent.replace_rgba, parent.premultiply)" : "1 - parent.replace_rgba";
  const auto& channels = interface.channels_out();
  data.values["replaced"] = channels.size() == 1 && channels[0] == "rgba.alpha" ? "alpha" : "rgba";
  data.lists["direction"] = KeepIf(!MainOutput(manifest).larger_is().empty());
  data.lists["unit"] = KeepIf(!MainOutput(manifest).unit().empty());
  data.lists["padded"] = KeepIf(interface.multiple_of() > 1);
  data.lists["some_knobs"] = KeepIf(manifest.knobs_size() > 0);
  data.lists["no_knobs"] = KeepIf(manifest.knobs_size() == 0);
  data.lists["half"] = KeepIf(manifest.request().dtype() == "float16");
  const auto& knobs = manifest.knobs();
  const bool has_pixels = std::any_of(
      knobs.begin(), knobs.end(), [](const Manifest::Knob& knob) { return absl::StrContains(knob.help(), "pixel"); });
  data.lists["in_pixels"] = KeepIf(has_pixels || interface.kind() == "flow" || IsRetimer(interface));
  data.lists["seeded"] = KeepIf(IsSeeded(manifest));
  data.lists["other_weights"] =
      KeepIf(HasPublishedWeights(manifest) == Published::kNo && !manifest.weights_licence().empty());
  data.lists["nonfree"] = KeepIf(ExcludesCommercialUse(manifest));
}

// Makes sure that one node can run both artifacts: they take and give the same, and have the same knobs.
absl::Status CheckIsAlike(const Manifest& first, const Manifest& other) {
  const auto refuse = [&](absl::string_view what) {
    return absl::FailedPreconditionError(absl::StrCat(ArtifactName(first), " and ", ArtifactName(other),
                                                      " cannot be choices of one node: their ", what,
                                                      " differ; models of one family and wrapper agree"));
  };
  Manifest::Interface taken = first.interface(), given = other.interface();
  for (Manifest::Interface* interface : {&taken, &given}) interface->clear_multiple_of();
  if (taken.SerializeAsString() != given.SerializeAsString()) return refuse("channels, kind or scale");
  const Manifest::Result &output = MainOutput(first), &others_output = MainOutput(other);
  if (output.unit() != others_output.unit()) return refuse("units");
  if (output.larger_is() != others_output.larger_is()) return refuse("directions of depth");
  if (first.request().dtype() != other.request().dtype()) return refuse("dtypes");
  const auto is_alike = [](const Manifest::Knob& a, const Manifest::Knob& b) {
    return a.name() == b.name() && a.type() == b.type() && a.value() == b.value() && a.min() == b.min() &&
           a.max() == b.max() &&
           std::equal(a.choices().begin(), a.choices().end(), b.choices().begin(), b.choices().end());
  };
  const auto &own = first.knobs(), &others = other.knobs();  // In the order of one wrapper.
  if (!std::equal(own.begin(), own.end(), others.begin(), others.end(), is_alike)) return refuse("knobs");
  return absl::OkStatus();
}

// The values for the templates of a package of a proven artifact.
absl::StatusOr<TemplateData> PackageData(const Manifest& manifest) {
  RETURN_IF_ERROR(CheckNukeUses(manifest));
  ASSIGN_OR_RETURN(const NukeRelease oldest, OldestNuke(manifest.minimum_runtime()));
  TemplateData data;
  data.values = Values(manifest);
  data.values["nuke_first"] = std::string(oldest.first);
  data.values["nuke_oldest"] = std::string(oldest.each.substr(0, oldest.each.find(' ')));
  data.values["nuke_numbers"] = absl::StrReplaceAll(data.values["nuke_oldest"], {{".", ", "}});
  AddKnobs(manifest, data);
  AddLicenceClaims(manifest, data);
  AddChannels(manifest.interface(), data);
  AddAside(manifest.interface(), data);
  AddPreview(manifest, data);
  AddFrames(manifest, data);
  AddReleases(manifest, data);
  AddSize(manifest, data);
  AddPassages(manifest, data);
  AddHelp(manifest, data);
  data.lists["pictured"] = {};
  data.values["picture"] = "";
  data.lists["models"] = {Values(manifest)};
  data.lists["models"].back()["index"] = "";
  AddInferences({data.values["model"]}, data);
  data.lists["choice"] = {};
  for (const char* value : {"choices", "choices_text", "first"}) data.values[value] = "";
  return data;
}

}  // namespace

absl::StatusOr<std::vector<PackageFile>> NukePackageFiles(const Manifest& manifest, const std::string& picture) {
  ASSIGN_OR_RETURN(TemplateData data, PackageData(manifest));
  data.lists["pictured"] = KeepIf(!picture.empty());
  data.values["picture"] = picture;
  return FilledTemplates(std::move(data), ModelName(manifest),
                         [&](absl::string_view path) { return FileName(path, manifest); });
}

absl::Status CheckNukeUses(const Manifest& manifest) {
  RETURN_IF_ERROR(OldestNuke(manifest.minimum_runtime()).status());
  const auto is_own = [](const std::string& name) { return KnobsOfTheNode().count(name) > 0; };
  return CheckKnobNames(manifest, is_own);
}

absl::StatusOr<std::vector<PackageFile>> NukeChoiceFiles(const std::vector<Manifest>& manifests,
                                                         const std::string& name) {
  for (const Manifest& manifest : manifests) RETURN_IF_ERROR(CheckIsAlike(manifests.front(), manifest));
  // The folder asks for the Nuke that loads all models.
  const auto newest = std::max_element(manifests.begin(), manifests.end(), [](const Manifest& a, const Manifest& b) {
    return !IsAtLeast(a.minimum_runtime(), b.minimum_runtime());
  });
  Manifest node = *newest;
  *node.mutable_knobs() = manifests.front().knobs();
  node.mutable_request()->set_model(name);
  node.mutable_request()->clear_wrapper();
  node.mutable_request()->set_name(name);
  const std::vector<std::string> help = HelpTexts(node);
  const bool is_alike = std::all_of(manifests.begin(), manifests.end(),
                                    [&](const Manifest& manifest) { return HelpTexts(manifest) == help; });
  if (!is_alike) ClearHelp(node);
  ASSIGN_OR_RETURN(TemplateData data, PackageData(node));
  std::vector<std::string> names;
  std::set<std::string> licences, notes;
  data.lists["models"] = {};
  for (const Manifest& manifest : manifests) {
    names.push_back(ArtifactName(manifest));
    licences.insert(LicenceText(manifest));
    if (!manifest.licence_note().empty()) notes.insert(manifest.licence_note());
    data.lists["models"].push_back(Values(manifest));
    data.lists["models"].back()["index"] = absl::StrCat(names.size());
    if (IsSeeded(manifest)) data.lists["seeded"] = KeepIf(true);
  }
  data.lists["licence_note"] = {};
  for (const std::string& note : notes) data.lists["licence_note"].push_back({{"note", note}});
  AddInferences(names, data);
  data.lists["choice"] = KeepIf(true);
  data.values["first"] = names.front();
  data.values["choices"] = absl::StrJoin(names, " ");
  data.values["choices_text"] = absl::StrJoin(names, ", ");
  data.values["title"] = name;
  data.values["version"] = node.modelport_version();
  data.values["weights_licence"] = absl::StrJoin(licences, ", ");
  data.values["summary"] = absl::StrCat("one of ", absl::StrJoin(names, ", "));
  data.lists["padded"] = {};  // Each model has its own multiples.
  return FilledTemplates(std::move(data), name, [&](absl::string_view path) {
    const absl::string_view name = path.substr(path.rfind('/') + 1);
    if (name == kChoicePage) return std::string(kPage);
    const bool is_of_artifact = name == kPage || name == "convert.py" || absl::EndsWith(name, ".nk");
    return is_of_artifact ? std::string() : FileName(path, node);
  });
}

}  // namespace modelport
