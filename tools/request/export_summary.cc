#include "tools/request/export_summary.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/keymap/left_out.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest.h"
#include "common/manifest/manifest_facts.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "nlohmann/json.hpp"
#include "targets/targets.h"
#include "tools/command/report.h"
#include "tools/command/terminal.h"

namespace modelport {
namespace {

std::string Source(const Manifest& manifest) {
  const std::string origin = WeightsOrigin(manifest);
  if (manifest.warning().empty()) {
    return absl::StrCat(WeightsSource(manifest), origin.empty() ? "" : absl::StrCat(" (", origin, ")"));
  }
  return absl::StrCat(manifest.warning(), " (", manifest.weights().seeded(), ")");
}

// The outputs that are not finite; "" if all are.
std::string Nonfinite(const Manifest::RoundTrip& round_trip) {
  std::vector<std::string> calls;
  for (const auto& output : round_trip.outputs()) {
    if (output.nan() + output.infinite() == 0) continue;
    calls.push_back(absl::StrCat(output.call(), " ", output.nan(), " NaN, ", output.infinite(), " infinite"));
  }
  return absl::StrJoin(calls, "; ");
}

// Which dictionaries of the checkpoints were taken, and what else they have; "" if they have nothing else.
std::string StateDicts(const Manifest& manifest) {
  std::vector<std::string> texts;
  for (const Manifest::Checkpoint& checkpoint : manifest.weights().checkpoints()) {
    std::vector<LeftOut> left_out;
    for (const auto& part : checkpoint.left_out()) {
      left_out.push_back({part.path(), part.tensors(), static_cast<int64_t>(part.elements())});
    }
    if (checkpoint.state_dict().empty() && checkpoint.module().empty() && left_out.empty()) continue;
    texts.push_back(absl::StrCat(checkpoint.part(), checkpoint.part().empty() ? "" : " ",
                                 DictName(checkpoint.state_dict()),
                                 checkpoint.module().empty() ? "" : ", a whole module of class ",
                                 Brief(checkpoint.module()), checkpoint.module().empty() ? "" : ", read as data",
                                 left_out.empty() ? "" : "; left out: ", DescribeLeftOut(left_out)));
  }
  return absl::StrJoin(texts, "; ");
}

// " (3 values became 0, 12 subnormal)"; "" if none did.
std::string Underflow(const Manifest::Conversion& converted) {
  const int64_t zero = converted.became_zero(), subnormal = converted.became_subnormal();
  if (zero + subnormal == 0) return "";
  return absl::StrCat(" (", Counted(zero, "value"), " became 0, ", subnormal, " subnormal)");
}

// The fields of config.json that were not compared; "" if all were.
std::string NotCompared(const Manifest& manifest) {
  std::vector<std::string> fields;
  for (const Manifest::Checkpoint& checkpoint : manifest.weights().checkpoints()) {
    fields.insert(fields.end(), checkpoint.config_not_compared().begin(), checkpoint.config_not_compared().end());
  }
  return fields.empty() ? "" : absl::StrCat("not compared, since the plugin does not know them: ", FirstFew(fields));
}

// The slots whose numbers an operation computed, by "OPERATION: REASON", in the order of the first of each.
std::vector<std::pair<std::string, std::vector<std::string>>> ChangedSlots(const Manifest::Weights& weights) {
  std::vector<std::pair<std::string, std::vector<std::string>>> changed;
  for (const auto& slot : weights.changed()) {
    const std::string how = absl::StrCat(slot.operation(), ": ", slot.reason());
    auto known = std::find_if(changed.begin(), changed.end(), [&](const auto& some) { return some.first == how; });
    if (known == changed.end()) known = changed.emplace(known, how, std::vector<std::string>());
    known->second.push_back(slot.slot());
  }
  return changed;
}

// How the checkpoint's tensors were changed, filled in or left unused; "" if all were copied as they are.
std::string Changes(const Manifest& manifest) {
  std::string changes;
  const Manifest::Weights& weights = manifest.weights();
  for (const auto& converted : weights.converted()) {
    absl::StrAppend(&changes, converted.tensors(), " from ", converted.from(), Underflow(converted), "; ");
  }
  for (const auto& zeros : weights.zero_filled())
    absl::StrAppend(&changes, zeros.key(), " zeros: ", zeros.reason(), "; ");
  for (const auto& constant : weights.constants()) {
    absl::StrAppend(&changes, constant.slot(), " ", constant.value(), ": ", constant.reason(), "; ");
  }
  for (const auto& [how, slots] : ChangedSlots(weights)) {
    absl::StrAppend(&changes, FirstFew(slots), " by ", how, "; ");
  }
  int unused = 0;
  for (const Manifest::Checkpoint& checkpoint : weights.checkpoints()) {
    for (const auto& old : checkpoint.old_names()) {
      absl::StrAppend(&changes, Counted(old.tensors(), "key"), " of old names: ", old.from(), " is now ", old.to(),
                      "; ");
    }
    unused += checkpoint.unused_size();
  }
  if (unused > 0) absl::StrAppend(&changes, unused, " keys unused (see the manifest); ");
  return changes.substr(0, changes.empty() ? 0 : changes.size() - 2);
}

}  // namespace

std::string ExportSummary(const Manifest& manifest, const std::string& out, absl::Duration time) {
  Table table;
  table.AddRow({"model", manifest.request().model()});
  for (const auto& [name, value] : RequestedOptions(manifest)) table.AddRow({name, value});
  if (const std::string assumed = AssumedText(manifest); !assumed.empty()) {
    table.AddRow({"assumed", absl::StrCat(assumed, "; the file does not tell")});
  }
  table.AddRow({"source", Source(manifest)});
  table.AddRow({"layout", WeightsLayout(manifest)});
  if (const std::string dicts = StateDicts(manifest); !dicts.empty()) table.AddRow({"state dict", dicts});
  if (const std::string fields = NotCompared(manifest); !fields.empty()) table.AddRow({"config.json", fields});
  table.AddRow({"tensors", absl::StrCat(manifest.tensors(), " ", manifest.request().dtype())});
  for (const Manifest::Checkpoint& checkpoint : manifest.weights().checkpoints()) {
    if (!checkpoint.layout_note().empty()) table.AddRow({"note", checkpoint.layout_note()});
  }
  if (const std::string changes = Changes(manifest); !changes.empty()) table.AddRow({"changed", changes});
  table.AddRow({"parameters", FormatCount(manifest.parameters())});
  table.AddRow({"artifact", absl::StrCat(out, ", ", FormatBytes(manifest.artifact().size_bytes()))});
  if (manifest.artifact().has_data()) {
    const Manifest::DataFile& data = manifest.artifact().data();
    table.AddRow(
        {"data", absl::StrCat(data.name(), ", ", FormatBytes(data.size_bytes()), ", which it needs beside it")});
  }
  table.AddRow({"runs in", RunsIn(manifest)});
  const absl::StatusOr<const Target*> target = FindTarget(manifest.request().target());
  if (target.ok() && (*target)->loaded_by != nullptr) {
    table.AddRow({"loads in", (*target)->loaded_by(manifest.minimum_runtime())});
  }
  table.AddRow({"checks", DescribeProof(manifest.round_trip())});
  if (const std::string calls = Nonfinite(manifest.round_trip()); !calls.empty()) table.AddRow({"not finite", calls});
  const std::string& fault = manifest.round_trip().kernel_fault();
  if (!fault.empty()) table.AddRow({"this machine", fault});
  table.AddRow({"time", FormatSeconds(absl::ToDoubleSeconds(time))});
  return FitStdout(table);
}

nlohmann::ordered_json ExportReport(const Manifest& manifest, const std::string& out, absl::Duration time) {
  return {{"artifact", out},
          {"manifest_path", ManifestPath(out)},
          {"seconds", absl::ToDoubleSeconds(time)},
          {"manifest", ParsedReport(WriteManifest(manifest).value_or(""))}};
}

std::string LicenceNote(const Manifest& manifest) {
  const std::string& licence = manifest.weights_licence();
  const std::string subject =
      absl::StrCat("The licence of the published weights of ", manifest.request().model(), ", ", licence);
  std::string note;
  if (ExcludesCommercialUse(manifest)) absl::StrAppend(&note, subject, ", does not allow commercial use.\n");
  // SPDX's word for a licence that its list lacks, so that its name alone leads nobody to the text.
  if (absl::StartsWith(licence, "LicenseRef-") && manifest.request().licence_text().empty()) {
    absl::StrAppend(&note, subject, ", is known by its text alone: --licence_file=FILE puts it into the artifact.\n");
  }
  return note;
}

}  // namespace modelport
