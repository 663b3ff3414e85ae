#include "tools/inspect/print_artifact.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "artifact/build/open_artifact.h"
#include "artifact/format/stored_artifact.h"
#include "artifact/signature/artifact_signature.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "nlohmann/json.hpp"
#include "targets/targets.h"
#include "tools/command/report.h"
#include "tools/command/terminal.h"
#include "tools/command/tool_call.h"

namespace modelport {
namespace {

absl::optional<Manifest> IfItNamesAModel(Manifest manifest) {
  return manifest.request().model().empty() ? absl::nullopt : absl::make_optional(std::move(manifest));
}

absl::optional<Manifest> ManifestWithin(const StoredArtifact& file) {
  const absl::StatusOr<absl::optional<StoredPart>> within = file.FindManifest();
  return within.ok() && *within ? IfItNamesAModel(ParseKnownFields((*within)->bytes)) : absl::nullopt;
}

absl::optional<Manifest> ManifestBeside(const std::string& path) {
  const auto beside = MappedFile::Open(ManifestPath(path));
  return beside.ok() ? IfItNamesAModel(ParseKnownFields((*beside)->bytes())) : absl::nullopt;
}

std::string Or(const std::string& text, const std::string& otherwise) { return text.empty() ? otherwise : text; }

std::string Weights(const Manifest& manifest) {
  if (WeightsSource(manifest).empty()) return absl::StrCat("of ", WeightsSourceText(manifest));
  const std::string origin = manifest.warning().empty() ? WeightsOrigin(manifest) : manifest.warning();
  return absl::StrCat(WeightsSource(manifest), origin.empty() ? "" : ", ", origin);
}

std::string Licence(const Manifest& manifest) {
  return absl::StrCat(Or(manifest.weights_licence(), "not stated"),
                      ExcludesCommercialUse(manifest) ? ", which does not allow commercial use" : "");
}

std::string LoadsIn(const Manifest& manifest) {
  const absl::StatusOr<const Target*> target = FindTarget(manifest.request().target());
  return target.ok() && (*target)->loaded_by != nullptr ? (*target)->loaded_by(manifest.minimum_runtime()) : "";
}

// The host's names of the image's channels, if the wrapper is for a host.
void AddChannels(const Manifest::Interface& interface, Table& table) {
  if (interface.channels_in().empty()) return;
  table.AddRow({"channels", absl::StrCat(absl::StrJoin(interface.channels_in(), ", "), " to ",
                                         absl::StrJoin(interface.channels_out(), ", "))});
}

// The entry points with what they take and give; all methods, if the plugin does not tell the entry points.
void AddMethods(const Manifest& manifest, Table& table) {
  for (const Manifest::EntryPoint& entry_point : manifest.entry_points()) {
    table.AddRow({"method", EntryPointSignature(entry_point)});
    for (const Manifest::Input& input : entry_point.inputs()) {
      table.AddRow({"  in", absl::StrCat(input.name(), ": ", InputText(input))});
    }
    for (const Manifest::Result& output : entry_point.outputs()) {
      table.AddRow({"  out", absl::StrCat(output.name(), ": ", OutputText(output))});
    }
  }
  if (const int internal = InternalMethods(manifest); internal > 0) {
    table.AddRow({"internal", absl::StrCat(internal, internal == 1 ? " more method" : " more methods")});
  }
  if (!manifest.entry_points().empty()) return;
  for (const std::string& method : manifest.methods()) table.AddRow({"method", method});
}

// "0 to 4096", or what each value means: "0 the model's own, 1 larger is nearer".
std::string ValuesOf(const Manifest::Knob& knob) {
  if (knob.choices().empty()) return absl::StrCat(knob.min(), " to ", knob.max());
  std::vector<std::string> choices;
  for (int i = 0; i < knob.choices_size(); ++i) choices.push_back(absl::StrCat(i, " ", knob.choices(i)));
  return absl::StrJoin(choices, ", ");
}

void AddManifest(const Manifest& manifest, Table& table) {
  table.AddRow(
      {"model", absl::StrCat(manifest.request().model(), manifest.title().empty() ? "" : ", ", manifest.title())});
  table.AddRow({"summary", manifest.summary()});
  for (const auto& [name, value] : RequestedOptions(manifest)) table.AddRow({name, value});
  table.AddRow({"weights", Weights(manifest)});
  table.AddRow({"licence", Licence(manifest)});
  if (!manifest.licence_note().empty()) table.AddRow({"", manifest.licence_note()});
  if (const size_t bytes = manifest.request().licence_text().size(); bytes > 0) {
    table.AddRow({"", absl::StrCat("its text, ", FormatBytes(static_cast<double>(bytes)),
                                   ", is the manifest's field licence_text")});
  }
  table.AddRow({"tensors", absl::StrCat(manifest.tensors(), " ", manifest.request().dtype(), ", ",
                                        FormatCount(manifest.parameters()), " parameters")});
  table.AddRow({"runs in", RunsIn(manifest)});
  if (const std::string hosts = LoadsIn(manifest); !hosts.empty()) table.AddRow({"loads in", hosts});
  if (manifest.has_interface()) {
    if (manifest.request().method().empty()) table.AddRow({"gives", manifest.interface().kind()});
    AddChannels(manifest.interface(), table);
  }
  AddMethods(manifest, table);
  for (const Manifest::Knob& knob : manifest.knobs()) {
    table.AddRow({"knob", absl::StrCat(knob.name(), ", ", knob.type(), ", ", knob.value(), ", ", ValuesOf(knob), ": ",
                                       knob.help())});
  }
  table.AddRow({"made by", absl::StrCat("Modelport ", manifest.modelport_version(), " with LibTorch ",
                                        manifest.libtorch_version())});
  table.AddRow({"code of", absl::StrCat(manifest.upstream().source(), " at ", manifest.upstream().commit())});
}

// Where the file's manifests are.
std::string Places(bool within, bool beside) {
  if (within) return beside ? "in it and beside it" : "in it";
  return beside ? "beside it"
                : "none: Modelport did not write this file, or its manifest was removed; lint describes it";
}

// Makes sure that the digest which the manifest states of the file `path` is its own.
absl::Status CheckDescribes(const std::string& manifest_path, const std::string& stated, const std::string& path,
                            const std::string& sha256) {
  if (stated == sha256) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(manifest_path, ": describes another file: sha256 is ", Brief(stated),
                                          ", that of ", path, " is ", sha256));
}

}  // namespace

absl::StatusOr<ArtifactDescription> DescribeArtifact(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoredArtifact> opened, OpenArtifact(path));
  const StoredArtifact& file = *opened;
  ASSIGN_OR_RETURN(const std::string real_path, ArtifactRealPath(path));
  ArtifactDescription description = {.path = path,
                                     .size_bytes = static_cast<int64_t>(file.bytes().size()),
                                     .sha256 = Sha256Of(file.bytes()),
                                     .within = ManifestWithin(file),
                                     .beside = ManifestBeside(real_path),
                                     .signature = SignatureBeside(path)};
  const MappedFile* const data = file.data_file();
  const std::string data_sha256 = data == nullptr ? "" : Sha256Of(data->bytes());
  RETURN_IF_ERROR(file.CheckUnchanged());
  if (!description.beside) return description;
  const Manifest::Artifact& stated = description.beside->artifact();
  const std::string manifest_path = ManifestPath(real_path);
  RETURN_IF_ERROR(CheckDescribes(manifest_path, stated.sha256(), path, description.sha256));
  if (data != nullptr) {
    RETURN_IF_ERROR(CheckDescribes(manifest_path, stated.data().sha256(), data->path(), data_sha256));
  }
  return description;
}

nlohmann::ordered_json ArtifactReport(const ArtifactDescription& description) {
  nlohmann::ordered_json report = {{"path", description.path},
                                   {"size_bytes", description.size_bytes},
                                   {"sha256", description.sha256},
                                   {"signature", description.signature}};
  const absl::optional<Manifest>& manifest = description.beside ? description.beside : description.within;
  if (manifest) report["manifest"] = ParsedReport(WriteManifest(*manifest).value_or(""));
  return report;
}

void PrintArtifact(const ArtifactDescription& description, std::ostream& out) {
  const auto& [path, size_bytes, sha256, within, beside, signature] = description;
  Table table;
  table.AddRow({"artifact", absl::StrCat(path, ", ", FormatBytes(size_bytes))});
  table.AddRow({"sha256", sha256});
  if (beside && beside->artifact().has_data()) {
    const Manifest::DataFile& data = beside->artifact().data();
    table.AddRow({"data", absl::StrCat(data.name(), ", ", FormatBytes(data.size_bytes()))});
  }
  table.AddRow({"manifest", Places(within.has_value(), beside.has_value())});
  if (!signature.empty()) {
    table.AddRow({"signature", absl::StrCat(signature, ", not checked: verify --key=PUBLIC.pem checks whose it is")});
  }
  if (within || beside) AddManifest(beside ? *beside : *within, table);
  if (beside) table.AddRow({"checks", DescribeProof(beside->round_trip())});
  out << FitStdout(table);
  if (within || beside) out << "The manifest says so; " << ToolCall("verify") << " proves it.\n";
}

}  // namespace modelport
