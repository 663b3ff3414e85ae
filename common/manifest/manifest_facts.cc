#include "common/manifest/manifest_facts.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace modelport {
namespace {

using google::protobuf::util::MessageDifferencer;

std::string Shorten(absl::string_view line) {
  constexpr size_t kLongest = 300;
  return absl::StrCat(line.substr(0, kLongest), line.size() > kLongest ? "..." : "");
}

// Protobuf's report says how to turn the first message into the second.
std::string Reword(absl::string_view line) {
  if (absl::ConsumePrefix(&line, "added: ")) return absl::StrCat("missing: ", Shorten(line));
  if (absl::ConsumePrefix(&line, "deleted: ")) return absl::StrCat("unexpected: ", Shorten(line));
  absl::ConsumePrefix(&line, "modified: ");
  return Shorten(line);
}

}  // namespace

std::string ArtifactName(absl::string_view model, absl::string_view part) {
  if (part.empty()) return std::string(model);
  const size_t last = model.rfind('_');
  if (last != model.npos && absl::StartsWith(part, model.substr(last + 1))) model = model.substr(0, last);
  return absl::StrCat(model, "_", part);
}

bool IsArtifactName(absl::string_view name) {
  const auto fits = [](char c) { return absl::ascii_isalnum(c) || c == '_'; };
  return !name.empty() && name.size() <= kLongestName && absl::ascii_isalpha(name.front()) &&
         std::all_of(name.begin(), name.end(), fits);
}

const Manifest::EntryPoint& MainEntryPoint(const Manifest& manifest) {
  const absl::string_view method =
      manifest.request().method().empty() ? absl::string_view("forward") : manifest.request().method();
  for (const Manifest::EntryPoint& entry_point : manifest.entry_points()) {
    if (entry_point.method() == method) return entry_point;
  }
  return Manifest::EntryPoint::default_instance();
}

const Manifest::Result& MainOutput(const Manifest& manifest) {
  const Manifest::EntryPoint& entry_point = MainEntryPoint(manifest);
  return entry_point.outputs().empty() ? Manifest::Result::default_instance() : entry_point.outputs(0);
}

void ClearUnits(Manifest& manifest) {
  for (Manifest::EntryPoint& entry_point : *manifest.mutable_entry_points()) {
    for (Manifest::Result& output : *entry_point.mutable_outputs()) {
      output.clear_unit();
      output.clear_larger_is();
      output.clear_min();
      output.clear_max();
    }
  }
}

bool IsBetweenFrames(const Manifest& manifest) {
  const auto& frames = manifest.interface().frames();
  return frames.size() == 2 && frames[1] == 1;
}

bool TakesCoarseDepth(const Manifest& manifest) {
  const auto& channels = manifest.interface().channels_in();
  return channels.size() == 4 && absl::StartsWith(channels[3], "depth.");
}

int64_t ScaleOf(const Manifest& manifest) { return std::max<int64_t>(1, manifest.interface().scale()); }

std::string ArgumentsText(const Manifest& manifest, absl::string_view separator) {
  return absl::StrJoin(manifest.request().arguments(), separator,
                       [](std::string* out, const Manifest::Argument& argument) {
                         absl::StrAppend(out, argument.name(), "=", argument.value());
                       });
}

std::string AssumedText(const Manifest& manifest) {
  std::vector<std::string> assumed;
  for (const Manifest::ArgumentOrigin& argument : manifest.weights().arguments()) {
    if (argument.origin() == "assumed") assumed.push_back(absl::StrCat(argument.name(), "=", argument.value()));
  }
  return absl::StrJoin(assumed, ", ");
}

std::vector<std::string> DifferingFields(const google::protobuf::Message& stated,
                                         const google::protobuf::Message& expected,
                                         const std::vector<std::string>& ignored) {
  MessageDifferencer differencer;
  for (const std::string& name : ignored) {
    differencer.IgnoreField(stated.GetDescriptor()->file()->pool()->FindFieldByName(name));
  }
  std::string report;
  differencer.ReportDifferencesToString(&report);
  differencer.Compare(stated, expected);
  std::vector<std::string> fields;
  for (const absl::string_view line : absl::StrSplit(report, '\n', absl::SkipEmpty())) {
    if (!absl::StartsWith(line, "ignored: ")) fields.push_back(Reword(line));
  }
  return fields;
}

}  // namespace modelport
