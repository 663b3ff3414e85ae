#include "tools/catalog_page/render_catalog.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest.h"
#include "common/manifest/manifest.pb.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "common/text/template.h"
#include "common/text/units.h"
#include "tools/catalog_page/templates.h"

namespace modelport {
namespace {

std::string Number(double value) { return absl::StrFormat("%.10g", value); }

std::string Or(absl::string_view text, absl::string_view fallback) {
  return std::string(text.empty() ? fallback : text);
}

std::string Href(absl::string_view url) {
  const bool is_page = absl::StartsWith(url, "https://") || absl::StartsWith(url, "http://");
  return std::string(is_page ? url : "");
}

template <typename Numbers>
std::string List(const Numbers& numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ", ", [](std::string* out, double n) { *out += Number(n); }), "]");
}

// How an image is prepared for the model.
std::string Preparation(const Manifest& manifest) {
  const Manifest::Preprocessing& preprocessing = manifest.preprocessing();
  if (preprocessing.inside()) return "RGB in 0..1, of any size: the artifact prepares it";
  std::string text = "RGB in 0..1";
  if (preprocessing.channels() > 3) text = absl::StrCat(preprocessing.channels(), " channels, RGB first, in 0..1");
  if (preprocessing.mean_size() > 0) {
    absl::StrAppend(&text, ", minus ", List(preprocessing.mean()), ", divided by ", List(preprocessing.std()));
  }
  if (preprocessing.size_size() == 2) {
    return absl::StrCat(text, "; ", preprocessing.size(0), " x ", preprocessing.size(1), " pixels");
  }
  if (preprocessing.multiple_of() == 1) return absl::StrCat(text, "; any size");
  return absl::StrCat(text, "; both sides multiples of ", preprocessing.multiple_of(), " pixels");
}

std::string Channels(const Manifest& manifest) {
  const Manifest::Interface& interface = manifest.interface();
  const std::string& larger_is = MainOutput(manifest).larger_is();
  const std::string kind = absl::StrCat(interface.kind(), larger_is.empty() ? "" : ", larger is ", larger_is);
  if (interface.channels_in().empty()) return kind;
  return absl::StrCat(absl::StrJoin(interface.channels_in(), ", "), " to ",
                      absl::StrJoin(interface.channels_out(), ", "), " (", kind, ")");
}

bool IsFinite(const Manifest::Output& output) { return output.nan() + output.infinite() == 0; }

// Of a difference as a part of the output's range.
std::string DescribeDifference(double relative) {
  return relative == 0 ? "bitwise equal" : absl::StrFormat("within %.0e", relative);
}

std::string Difference(const Manifest::Output& output) {
  return absl::StrCat(output.equal_on_same_memory() ? "bitwise equal on the same memory, else " : "",
                      DescribeDifference(output.relative()),
                      IsFinite(output)
                          ? ""
                          : absl::StrCat("; ", Number(output.nan()), " NaN, ", Number(output.infinite()), " infinite"));
}

// Whether the largest difference does not tell all of the proof.
bool IsQualified(const Manifest::RoundTrip& round_trip) {
  const auto is_qualified = [](const auto& output) { return output.equal_on_same_memory() || !IsFinite(output); };
  return !round_trip.kernel_fault().empty() ||
         std::any_of(round_trip.outputs().begin(), round_trip.outputs().end(), is_qualified);
}

TemplateValues OutputValues(const Manifest::Output& output) {
  const bool is_tensor = output.shape_size() > 0;
  return {{"call", output.call()},
          {"shape", is_tensor ? absl::StrCat("[", absl::StrJoin(output.shape(), ", "), "]") : "several tensors"},
          {"difference", Difference(output)}};
}

TemplateValues KnobValues(const Manifest::Knob& knob) {
  return {{"name", knob.name()},       {"type", knob.type()},       {"value", Number(knob.value())},
          {"min", Number(knob.min())}, {"max", Number(knob.max())}, {"help", knob.help()}};
}

// "libtorch", "onnx, encode": the host, and the wrapper or the method where it is not the usual one.
std::string TargetText(const Manifest& manifest) {
  std::string text = manifest.request().target();
  for (const std::string& part : {manifest.request().wrapper(), manifest.request().method()}) {
    if (!part.empty()) absl::StrAppend(&text, ", ", part);
  }
  return text;
}

std::string OldestRuntime(const Manifest& manifest) {
  const uint32_t opset = manifest.request().opset();
  if (opset > 0) return absl::StrCat("ONNX, opset ", opset);
  return Or(manifest.minimum_runtime(), "none known");
}

// Of the file and of its data file, if it has one.
double SizeOf(const Manifest& manifest) {
  return manifest.artifact().size_bytes() + manifest.artifact().data().size_bytes();
}

TemplateValues Values(const Manifest& manifest) {
  return {{"model", manifest.request().model()},
          {"family", manifest.family()},
          {"summary", manifest.summary()},
          {"family_summary", manifest.family_summary()},
          {"parameters", FormatCount(manifest.parameters())},
          {"parameters_key", Number(manifest.parameters())},
          {"size", FormatBytes(SizeOf(manifest))},
          {"size_bytes", absl::StrFormat("%.0f", SizeOf(manifest))},
          {"target", TargetText(manifest)},
          {"dtype", manifest.request().dtype()},
          {"oldest_runtime", OldestRuntime(manifest)},
          {"largest_difference", DescribeDifference(LargestDifference(manifest.round_trip()))},
          {"difference_key", Number(manifest.round_trip().proven() ? LargestDifference(manifest.round_trip()) : 1)},
          {"proof", DescribeProof(manifest.round_trip())},
          {"kernel_fault", manifest.round_trip().kernel_fault()},
          {"warning", manifest.warning()},
          {"source", WeightsSource(manifest)},
          {"layout", WeightsLayout(manifest)},
          {"origin", WeightsOrigin(manifest)},
          {"sha256", Or(manifest.artifact().sha256(), "not stated")},
          {"weights_licence", Or(manifest.weights_licence(), "not stated")},
          {"upstream_licence", Or(manifest.upstream().licence(), "not stated")},
          {"upstream_url", manifest.upstream().source()},
          {"upstream_href", Href(manifest.upstream().source())},
          {"upstream_commit", manifest.upstream().commit()},
          {"preparation", Preparation(manifest)},
          {"channels", Channels(manifest)},
          {"modelport_version", manifest.modelport_version()},
          {"libtorch_version", manifest.libtorch_version()}};
}

bool IsSeeded(const Manifest& manifest) { return !manifest.warning().empty(); }

// Whether the weights are a checkpoint that is not the published one.
bool HasOwnWeights(const Manifest& manifest) {
  return !IsSeeded(manifest) && HasPublishedWeights(manifest) == Published::kNo;
}

// The list of model.html that says how the addresses of the published weights are about those of the artifact.
std::string ListOfPlaces(const Manifest& manifest) {
  const Published published = IsSeeded(manifest) ? Published::kNo : HasPublishedWeights(manifest);
  if (published == Published::kNo) return "published_otherwise";
  return published == Published::kYes ? "published" : "published_perhaps";
}

void AddPassages(const Manifest& manifest, TemplateData& data) {
  const bool is_seeded = IsSeeded(manifest), is_disputed = manifest.licence_claims_size() > 0;
  data.lists["seeded"] = KeepIf(is_seeded);
  data.lists["from_checkpoint"] = KeepIf(!is_seeded);
  data.lists["own"] = KeepIf(HasOwnWeights(manifest));
  data.lists["other_weights"] = KeepIf(is_seeded || HasOwnWeights(manifest));
  data.lists["agreed"] = KeepIf(!is_disputed);
  data.lists["disputed"] = KeepIf(is_disputed);
  data.lists["wrapped"] = KeepIf(manifest.has_interface());
  data.lists["proven"] = KeepIf(manifest.round_trip().proven());
  data.lists["qualified"] = KeepIf(IsQualified(manifest.round_trip()));
  data.lists["unproven"] = KeepIf(!manifest.round_trip().proven());
  data.lists["kernel_fault"] = KeepIf(!manifest.round_trip().kernel_fault().empty());
  data.lists["some_outputs"] = KeepIf(manifest.round_trip().outputs_size() > 0);
  data.lists["some_knobs"] = KeepIf(manifest.knobs_size() > 0);
  data.lists["no_knobs"] = KeepIf(manifest.knobs_size() == 0);
}

// What model.html says of an artifact, as plain text. Names that end in `_href` are addresses to link to: those of a
// scheme other than http and https, such as javascript:, are empty.
TemplateData ArtifactFacts(const Manifest& manifest) {
  TemplateData data;
  data.values = Values(manifest);
  AddPassages(manifest, data);
  for (const char* list : {"published", "published_otherwise", "published_perhaps", "options", "licence_claims",
                           "licence_note", "methods", "outputs", "knobs"})
    data.lists[list] = {};
  for (const absl::string_view url : absl::StrSplit(manifest.weights_url(), ", ", absl::SkipEmpty())) {
    data.lists[ListOfPlaces(manifest)].push_back({{"weights_url", std::string(url)}, {"weights_href", Href(url)}});
  }
  for (const auto& [name, value] : RequestedOptions(manifest)) {
    data.lists["options"].push_back({{"name", name}, {"value", value}});
  }
  for (const Manifest::LicenceClaim& claim : manifest.licence_claims()) {
    data.lists["licence_claims"].push_back(
        {{"licence", claim.licence()}, {"claim_url", claim.url()}, {"claim_href", Href(claim.url())}});
  }
  if (!manifest.licence_note().empty()) data.lists["licence_note"].push_back({{"note", manifest.licence_note()}});
  for (const std::string& method : manifest.methods()) data.lists["methods"].push_back({{"method", method}});
  for (const Manifest::Output& output : manifest.round_trip().outputs()) {
    data.lists["outputs"].push_back(OutputValues(output));
  }
  for (const Manifest::Knob& knob : manifest.knobs()) data.lists["knobs"].push_back(KnobValues(knob));
  return data;
}

absl::StatusOr<std::string> Fill(absl::string_view name, const TemplateData& data) {
  ASSIGN_OR_RETURN(const absl::string_view text, FindEmbedded(CatalogTemplates(), name));
  return FillTemplate(text, data, EscapeHtml);
}

}  // namespace

absl::StatusOr<std::string> CatalogJson(const std::vector<Manifest>& manifests) {
  std::vector<std::string> texts;
  for (const Manifest& manifest : manifests) {
    ASSIGN_OR_RETURN(texts.emplace_back(), WriteManifest(manifest));
  }
  return absl::StrCat("{\"models\": [\n", absl::StrJoin(texts, ","), "]}\n");
}

absl::StatusOr<std::string> CatalogHtml(const std::vector<Manifest>& manifests) {
  const int seeded = std::count_if(manifests.begin(), manifests.end(), IsSeeded);
  const int own = std::count_if(manifests.begin(), manifests.end(), HasOwnWeights);
  TemplateData page;
  page.values["count"] = Counted(manifests.size(), "artifact");
  page.values["seeded_count"] = Counted(seeded, "artifact");
  page.lists["some_seeded"] = KeepIf(seeded > 0);
  page.values["own_count"] = Counted(own, "artifact");
  page.lists["some_own"] = KeepIf(own > 0);
  std::string& models = page.verbatim["models"];
  for (const Manifest& manifest : manifests) {
    ASSIGN_OR_RETURN(const std::string rows, Fill("model.html", ArtifactFacts(manifest)));
    absl::StrAppend(&models, rows);
  }
  return Fill("page.html", page);
}

}  // namespace modelport
