#include "targets/nuke/package_data.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/runtime/runtime.h"
#include "common/status/status_macros.h"
#include "targets/nuke/nuke_release.h"

namespace modelport {
namespace {

// What Nuke does with the output of a model. One channel is depth; more are features, for which it has no names.
struct Output {
  std::string category;  // A submenu of the Cattery.
  std::vector<std::string> channels;
};

absl::StatusOr<Output> FindOutput(const Manifest& manifest) {
  const auto& outputs = manifest.round_trip().outputs();
  const auto shape = outputs.empty() ? Manifest::Output().shape() : outputs[0].shape();
  const std::vector<std::string> rgba = {"rgba.red", "rgba.green", "rgba.blue", "rgba.alpha"};
  if (shape.size() != 4 || shape[1] < 1 || shape[1] > rgba.size()) {
    return absl::FailedPreconditionError(
        absl::StrCat("Nuke wants an output of shape [1, 1 to 4, H, W], has [", absl::StrJoin(shape, ", "), "]"));
  }
  if (shape[1] == 1) return Output{"Depth Estimation", {"depth.Z"}};
  return Output{"Features", {rgba.begin(), rgba.begin() + shape[1]}};
}

std::string Number(double value) { return absl::StrFormat("%.10g", value); }

TemplateValues KnobValues(const Manifest::Knob& knob) {
  return {{"name", knob.name()},       {"label", absl::StrReplaceAll(knob.name(), {{"_", " "}})},
          {"type", knob.type()},       {"value", Number(knob.value())},
          {"min", Number(knob.min())}, {"max", Number(knob.max())},
          {"help", knob.help()}};
}

// What makes an Inference node follow the gizmo's knobs, as the node itself saves it.
std::string KnobLinks(const Manifest& manifest) {
  std::string links;
  for (const Manifest::Knob& knob : manifest.knobs()) {
    absl::StrAppend(&links, knob.name(), ":{\"min(", Number(knob.max()), ", max(", Number(knob.min()), ", parent.",
                    knob.name(), "))\"};");
  }
  return links;
}

TemplateValues Values(const Manifest& manifest) {
  return {{"model", manifest.model()},
          {"summary", manifest.summary()},
          {"family_summary", manifest.family_summary()},
          {"minimum_runtime", manifest.minimum_runtime()},
          {"multiple_of", absl::StrCat(manifest.preprocessing().multiple_of())},
          {"dtype", manifest.dtype()},
          {"source", manifest.source()},
          {"larger_is", manifest.larger_is()},
          {"artifact_sha256", manifest.artifact().sha256()},
          {"weights_licence", manifest.weights_licence().empty() ? "unknown" : manifest.weights_licence()},
          {"weights_url", manifest.weights_url().empty() ? "not published" : manifest.weights_url()},
          {"upstream_source", manifest.upstream().source()},
          {"upstream_commit", manifest.upstream().commit()},
          {"upstream_licence", manifest.upstream().licence()},
          {"modelport_version", manifest.modelport_version()}};
}

void AddKnobs(const Manifest& manifest, TemplateData& data) {
  data.verbatim["knob_links"] = KnobLinks(manifest);
  for (const char* list : {"knobs", "int_knobs", "float_knobs"}) data.lists[list] = {};
  for (const Manifest::Knob& knob : manifest.knobs()) {
    const TemplateValues values = KnobValues(knob);
    data.lists["knobs"].push_back(values);
    data.lists[absl::StrCat(knob.type(), "_knobs")].push_back(values);
  }
}

void AddOutput(const Output& output, TemplateData& data) {
  data.values["category"] = output.category;
  data.values["channels_out"] = absl::StrJoin(output.channels, ",");
  for (size_t i = 0; i < output.channels.size(); ++i) {
    data.lists["channels"].push_back({{"index", absl::StrCat(i)}, {"channel", output.channels[i]}});
  }
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

// A list that shows what lies between its lines if `condition` holds.
std::vector<TemplateValues> When(bool condition) { return std::vector<TemplateValues>(condition ? 1 : 0); }

}  // namespace

absl::Status CheckNukeUses(const Manifest& manifest) {
  RETURN_IF_ERROR(OldestNuke(manifest.minimum_runtime()).status());
  return manifest.round_trip().proven() ? FindOutput(manifest).status() : absl::OkStatus();
}

absl::StatusOr<TemplateData> NukePackageData(const Manifest& manifest) {
  ASSIGN_OR_RETURN(const Output output, FindOutput(manifest));
  ASSIGN_OR_RETURN(const NukeRelease oldest, OldestNuke(manifest.minimum_runtime()));
  TemplateData data;
  data.values = Values(manifest);
  data.values["nuke_first"] = std::string(oldest.first);
  AddKnobs(manifest, data);
  AddOutput(output, data);
  AddReleases(manifest, data);
  data.lists["depth"] = When(!manifest.larger_is().empty());
  data.lists["seeded"] = When(!manifest.warning().empty());
  const bool half = manifest.dtype() == "float16";
  data.values["stored_half"] = half ? "true" : "false";
  data.lists["half"] = When(half);
  data.lists["nonfree"] = When(absl::StrContains(manifest.weights_licence(), "-NC"));
  return data;
}

}  // namespace modelport
