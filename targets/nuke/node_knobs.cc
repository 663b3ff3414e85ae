#include "targets/nuke/node_knobs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/manifest/manifest_facts.h"

namespace modelport {
namespace {

// A new node does not know its plate, so its places are those in an image of this size.
constexpr int kUsualWidth = 1920, kUsualHeight = 1080;

// How the parts of a place end, and what they are in expressions: of NAME_left NAME.x.
struct PlaceForm {
  std::vector<absl::string_view> endings;
  absl::string_view name_ending;
  int type;  // Of the user knob.
};

constexpr absl::string_view kCorners[] = {"x", "y", "r", "t"};

const std::vector<PlaceForm>& PlaceForms() {
  static const auto* const forms = new std::vector<PlaceForm>{
      {{"_x", "_y"}, "", 12},
      {{"_left", "_bottom", "_right", "_top"}, "_area", 15},
  };
  return *forms;
}

const Manifest::Knob* FindPart(const Manifest& manifest, absl::string_view name) {
  const auto& knobs = manifest.knobs();
  const auto found = std::find_if(knobs.begin(), knobs.end(), [&](const auto& knob) { return knob.name() == name; });
  const bool is_part = found != knobs.end() && found->type() == "float" && found->min() == 0 && found->max() == 1;
  return is_part ? &*found : nullptr;
}

// The place whose first part the knob is; nullopt for any other.
absl::optional<PlaceKnob> PlaceOf(const Manifest::Knob& knob, const Manifest& manifest) {
  for (const PlaceForm& form : PlaceForms()) {
    absl::string_view base = knob.name();
    if (!absl::ConsumeSuffix(&base, form.endings.front())) continue;
    PlaceKnob place{absl::StrCat(base, form.name_ending), {}};
    for (const absl::string_view ending : form.endings) {
      if (FindPart(manifest, absl::StrCat(base, ending)) != nullptr) place.parts.push_back(absl::StrCat(base, ending));
    }
    if (place.parts.size() == form.endings.size()) return place;
  }
  return absl::nullopt;
}

// Whether a knob is on or off.
bool IsSwitch(const Manifest::Knob& knob) {
  return knob.type() == "int" && knob.choices().empty() && knob.min() == 0 && knob.max() == 1;
}

std::string Quoted(absl::string_view text) { return absl::StrCat("\"", EscapeTcl(text), "\""); }

// The line that adds a knob of this type, and the one that gives it its value.
std::string Line(int type, const std::string& name, const std::string& help, const std::string& options,
                 const std::string& value) {
  return absl::StrCat(" addUserKnob {", type, " ", name, " l ", Quoted(KnobLabel(name)), " t ", Quoted(help), options,
                      "}\n ", name, " ", value);
}

// The group of knobs, closed at first, in which the knob stands: "more_points" for what belongs to point_2 and those
// behind it; "" for none.
std::string GroupOf(absl::string_view name) {
  const std::vector<absl::string_view> words = absl::StrSplit(name, '_');
  int number = 0;
  const bool is_later = words.size() > 2 && absl::SimpleAtoi(words[1], &number) && number > 1;
  return is_later ? absl::StrCat("more_", words[0], "s") : "";
}

std::string PlaceLine(const PlaceKnob& place, const Manifest& manifest) {
  std::vector<std::string> values;
  for (const std::string& part : place.parts) {
    const int size = values.size() % 2 == 0 ? kUsualWidth : kUsualHeight;
    values.push_back(KnobNumber(std::round(FindPart(manifest, part)->value() * size)));
  }
  const bool is_point = values.size() == 2;
  return Line(
      PlaceForms()[is_point ? 0 : 1].type, place.name,
      absl::StrCat("In pixels of the plate; the default is for one of 1920 x 1080. ",
                   is_point ? "The cross in the Viewer moves it. A point outside of the plate counts as one at its edge"
                            : "The box in the Viewer moves it"),
      "", absl::StrCat("{", absl::StrJoin(values, " "), "}"));
}

std::string KnobLine(const Manifest::Knob& knob, const Manifest& manifest) {
  const std::string help = WithKnobLabels(knob.help(), manifest);
  const std::string value = KnobNumber(knob.value()), min = KnobNumber(knob.min()), max = KnobNumber(knob.max());
  if (!knob.choices().empty()) {
    const auto quoted = [](std::string* out, const std::string& choice) { absl::StrAppend(out, Quoted(choice)); };
    // In expressions a pulldown is the number of its choice.
    return Line(4, knob.name(), help, absl::StrCat(" M {", absl::StrJoin(knob.choices(), " ", quoted), "}"),
                Quoted(knob.choices(static_cast<int>(knob.value()))));
  }
  if (IsSwitch(knob)) return Line(6, knob.name(), help, " +STARTLINE", knob.value() != 0 ? "true" : "false");
  if (knob.type() == "float") return Line(7, knob.name(), help, absl::StrCat(" R ", min, " ", max), value);
  return Line(3, knob.name(), absl::StrCat(help, " (", min, " to ", max, ")"), "", value);
}

}  // namespace

std::vector<PlaceKnob> PlaceKnobs(const Manifest& manifest) {
  std::vector<PlaceKnob> places;
  for (const Manifest::Knob& knob : manifest.knobs()) {
    if (const absl::optional<PlaceKnob> place = PlaceOf(knob, manifest)) places.push_back(*place);
  }
  return places;
}

bool IsComputed(const Manifest::Knob& knob, const Manifest& manifest) {
  return IsBetweenFrames(manifest) && knob.name() == "timestep";
}

absl::Status CheckKnobNames(const Manifest& manifest, const std::function<bool(const std::string& name)>& is_own) {
  for (const Manifest::Knob& knob : manifest.knobs()) {
    if (!is_own(knob.name())) continue;
    return absl::FailedPreconditionError(absl::StrCat("the attribute ", knob.name(),
                                                      " of the wrapper would be a knob of Nuke's node, which has one "
                                                      "of this name: give the attribute another"));
  }
  for (const PlaceKnob& place : PlaceKnobs(manifest)) {
    const auto& knobs = manifest.knobs();
    const bool is_taken = is_own(place.name) || std::any_of(knobs.begin(), knobs.end(), [&](const auto& knob) {
                            return knob.name() == place.name;
                          });
    if (!is_taken) continue;
    return absl::FailedPreconditionError(absl::StrCat("the attributes ", absl::StrJoin(place.parts, ", "),
                                                      " of the wrapper would be the knob ", place.name,
                                                      " of Nuke's node, which has one of this name: give them others"));
  }
  return absl::OkStatus();
}

std::string KnobLines(const Manifest& manifest) {
  const std::vector<PlaceKnob> places = PlaceKnobs(manifest);
  std::vector<std::string> lines;
  std::string group;  // That is open, "" for none.
  const auto begin_group = [&](const std::string& next) {
    if (next == group) return;
    if (!group.empty()) lines.push_back(absl::StrCat(" addUserKnob {20 end_", group, " l \"\" n -1}"));
    if (!next.empty()) {
      lines.push_back(absl::StrCat(" addUserKnob {20 ", next, " l ", Quoted(KnobLabel(next)), " n 1}\n ", next, " 0"));
    }
    group = next;
  };
  for (const Manifest::Knob& knob : manifest.knobs()) {
    begin_group(GroupOf(knob.name()));
    const auto place = std::find_if(places.begin(), places.end(), [&](const PlaceKnob& place) {
      return std::find(place.parts.begin(), place.parts.end(), knob.name()) != place.parts.end();
    });
    if (place == places.end()) {
      if (!IsComputed(knob, manifest)) lines.push_back(KnobLine(knob, manifest));
    } else if (knob.name() == place->parts.front()) {
      lines.push_back(PlaceLine(*place, manifest));
    }
  }
  begin_group("");
  return absl::StrJoin(lines, "\n");
}

std::string KnobLinks(const Manifest& manifest) {
  std::map<std::string, std::string> values;  // The expression of each knob.
  for (const Manifest::Knob& knob : manifest.knobs()) values[knob.name()] = absl::StrCat("parent.", knob.name());
  for (const PlaceKnob& place : PlaceKnobs(manifest)) {
    for (size_t i = 0; i < place.parts.size(); ++i) {
      // The image that the model sees begins at the corner of WholeFormat's box.
      values[place.parts[i]] = absl::StrCat("(parent.", place.name, ".", kCorners[i], " - WholeFormat.box.",
                                            kCorners[i % 2], ") / input.", i % 2 == 0 ? "width" : "height");
    }
  }
  std::string links;
  for (const Manifest::Knob& knob : manifest.knobs()) {
    const std::string value = IsComputed(knob, manifest)
                                  ? "parent.shown_frame - floor(parent.shown_frame)"
                                  : absl::StrCat("min(", KnobNumber(knob.max()), ", max(", KnobNumber(knob.min()), ", ",
                                                 values[knob.name()], "))");
    absl::StrAppend(&links, knob.name(), ":{\"", value, "\"};");
  }
  return links;
}

std::string WithKnobLabels(absl::string_view text, const Manifest& manifest) {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const Manifest::Knob& knob : manifest.knobs()) {
    labels.emplace_back(knob.name(), IsComputed(knob, manifest) ? "source frame" : KnobLabel(knob.name()));
  }
  return absl::StrReplaceAll(text, labels);
}

std::string KnobNumber(double value) { return absl::StrFormat("%.10g", value); }

std::string KnobLabel(absl::string_view name) { return absl::StrReplaceAll(name, {{"_", " "}}); }

std::string EscapeTcl(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}, {"[", "\\["}, {"{", "\\{"}, {"}", "\\}"}, {"$", "\\$"}});
}

}  // namespace modelport
