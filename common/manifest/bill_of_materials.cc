#include "common/manifest/bill_of_materials.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/manifest/describe_manifest.h"

namespace modelport {
namespace {

using Json = nlohmann::ordered_json;

// Where a component lists what is not empty.
void AddProperty(Json& component, absl::string_view name, const std::string& value) {
  if (!value.empty()) component["properties"].push_back({{"name", absl::StrCat("modelport:", name)}, {"value", value}});
}

void AddLicence(Json& component, const std::string& licence) {
  if (!licence.empty()) component["licenses"] = Json::array({{{"expression", licence}}});
}

void AddUrl(Json& component, absl::string_view type, absl::string_view url) {
  if (url.empty()) return;
  component["externalReferences"].push_back({{"type", std::string(type)}, {"url", std::string(url)}});
}

// Adds the licence of the published weights. Of weights that are others, or that nobody compared, it need not be
// theirs.
void AddLicenceOfWeights(Json& component, const std::string& licence, bool are_published) {
  if (are_published) return AddLicence(component, licence);
  AddProperty(component, "licence_of_published_weights", licence);
}

// Adds where the file `name` is published: of the addresses `urls` the one that ends so, or else all.
void AddPlaces(Json& component, absl::string_view urls, const std::string& name) {
  const std::vector<absl::string_view> all = absl::StrSplit(urls, ", ", absl::SkipEmpty());
  for (const absl::string_view url : all) {
    if (!name.empty() && absl::EndsWith(url, absl::StrCat("/", name))) return AddUrl(component, "distribution", url);
  }
  for (const absl::string_view url : all) AddUrl(component, "distribution", url);
}

// Adds a digest of hexadecimal digits. Manifests may hold anything else.
void AddSha256(Json& component, absl::string_view hex) {
  if (hex.size() != 64 || !std::all_of(hex.begin(), hex.end(), absl::ascii_isxdigit)) return;
  component["hashes"] = Json::array({{{"alg", "SHA-256"}, {"content", std::string(hex)}}});
}

Json Component(absl::string_view type, absl::string_view ref, const std::string& name) {
  return {{"type", std::string(type)}, {"bom-ref", std::string(ref)}, {"name", name}};
}

// The artifact itself.
Json Artifact(const Manifest& manifest, absl::string_view sha256) {
  Json artifact = Component("machine-learning-model", "artifact", manifest.request().model());
  artifact["description"] = absl::StrCat(manifest.title(), ": ", manifest.summary());
  AddSha256(artifact, sha256);
  AddLicenceOfWeights(artifact, manifest.weights_licence(), HasPublishedWeights(manifest) == Published::kYes);
  AddProperty(artifact, "data_sha256", manifest.artifact().data().sha256());
  AddProperty(artifact, "licence_note", manifest.licence_note());
  AddProperty(artifact, "warning", manifest.warning());
  for (const auto& [name, value] : RequestedOptions(manifest)) {
    AddProperty(artifact, absl::StrReplaceAll(name, {{" ", "_"}}), value);
  }
  AddProperty(artifact, "dtype", manifest.request().dtype());
  AddProperty(artifact, "minimum_runtime", manifest.minimum_runtime());
  // The manifest in an artifact does not tell what was proven of the file.
  if (manifest.has_round_trip()) AddProperty(artifact, "proof", DescribeProof(manifest.round_trip()));
  return artifact;
}

// A file of weights.
Json File(const Manifest& manifest, const Manifest::Checkpoint& checkpoint, const std::string& ref) {
  Json file = Component("data", ref, checkpoint.file().empty() ? "weights" : checkpoint.file());
  absl::string_view digest = checkpoint.source();
  if (absl::ConsumePrefix(&digest, "sha256:")) AddSha256(file, digest);
  const bool is_published = absl::StartsWith(checkpoint.published(), "yes");
  AddLicenceOfWeights(file, manifest.weights_licence(), is_published);
  if (is_published) AddPlaces(file, manifest.weights_url(), checkpoint.file());
  AddProperty(file, "source", checkpoint.source());
  AddProperty(file, "layout", checkpoint.layout());
  AddProperty(file, "published", checkpoint.published());
  return file;
}

// The rule that made seeded weights.
Json SeededWeights(const Manifest& manifest) {
  Json weights = Component("data", "weights", "weights");
  AddLicenceOfWeights(weights, manifest.weights_licence(), /*are_published=*/false);
  AddProperty(weights, "source", manifest.weights().seeded());
  return weights;
}

// The files of the weights, or the rule that made them.
Json AllWeights(const Manifest& manifest) {
  const Manifest::Weights& weights = manifest.weights();
  if (weights.checkpoints().empty()) return Json::array({SeededWeights(manifest)});
  Json files = Json::array();
  for (const Manifest::Checkpoint& checkpoint : weights.checkpoints()) {
    files.push_back(
        File(manifest, checkpoint, checkpoint.part().empty() ? "weights" : absl::StrCat("weights:", files.size())));
  }
  return files;
}

Json MadeFrom(const Manifest& manifest) {
  Json components = AllWeights(manifest);
  Json plugin = Component("data", "plugin", manifest.family());
  plugin["description"] = "the plugin's module types and code";
  AddSha256(plugin, manifest.plugin_sha256());
  AddProperty(plugin, "key_map_sha256", manifest.key_map_sha256());
  components.push_back(std::move(plugin));
  Json upstream = Component("library", "upstream", manifest.upstream().source());
  upstream["version"] = manifest.upstream().commit();
  upstream["description"] = "the source code that the plugin ports";
  AddLicence(upstream, manifest.upstream().licence());
  AddUrl(upstream, "vcs", manifest.upstream().source());
  components.push_back(std::move(upstream));
  return components;
}

Json Program(const std::string& name, const std::string& version) {
  return {{"type", "application"}, {"name", name}, {"version", version}};
}

}  // namespace

std::string BillOfMaterials(const Manifest& manifest, absl::string_view sha256) {
  const Json components = MadeFrom(manifest);
  Json refs = Json::array();
  for (const Json& component : components) refs.push_back(component["bom-ref"]);
  const Json tools = Json::array(
      {Program("modelport", manifest.modelport_version()), Program("libtorch", manifest.libtorch_version())});
  const Json bom = {
      {"bomFormat", "CycloneDX"},
      {"specVersion", "1.5"},
      {"version", 1},
      {"metadata", {{"tools", {{"components", tools}}}, {"component", Artifact(manifest, sha256)}}},
      {"components", components},
      {"dependencies", Json::array({{{"ref", "artifact"}, {"dependsOn", refs}}})},
  };
  return bom.dump(/*indent=*/1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace modelport
