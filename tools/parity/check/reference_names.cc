#include "tools/parity/check/reference_names.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "common/torchscript/parity/stage.h"
#include "common/yaml/map_reader.h"
#include "common/yaml/parse.h"

namespace modelport {
namespace {

std::vector<PairedName> ReadPairs(YamlMapReader& reader, absl::string_view field, YamlProblems& problems) {
  std::vector<PairedName> pairs;
  for (const YamlValue::Field& pair : reader.TakeFields(field)) {
    PairedName name = {.theirs = pair.name};
    if (pair.value.kind == YamlValue::Kind::kText) {
      name.ours = pair.value.text;  // "" is the root.
    } else if (pair.value.kind != YamlValue::Kind::kNothing) {
      ReadText(pair.value, absl::StrCat("field \"", pair.name, "\""), &problems);  // Says what it is.
    }
    pairs.push_back(std::move(name));
  }
  return pairs;
}

// The pair of the longest path that `path` lies within; null if there is none.
const PairedName* FindPair(const std::vector<PairedName>& pairs, absl::string_view path) {
  const PairedName* found = nullptr;
  for (const PairedName& pair : pairs) {
    const bool is_longer = found == nullptr || pair.theirs.size() > found->theirs.size();
    if (is_longer && IsWithin(path, pair.theirs)) found = &pair;
  }
  return found;
}

// What the model calls the module `path`; nullopt if it is left out.
absl::optional<std::string> OurPath(const ReferenceNames& names, const std::string& path) {
  const PairedName* const pair = FindPair(names.modules, path);
  if (pair == nullptr) return path;
  if (!pair->ours) return absl::nullopt;
  const absl::string_view rest = PathBelow(path, pair->theirs);
  return rest.empty() ? *pair->ours : JoinPath(*pair->ours, rest);
}

absl::Status Wrong(const ReferenceNames& names, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(names.path, ": ", message));
}

// The beginning of `path` that has as many parts as `name` has; all of `path` if it has fewer.
absl::string_view SameLevel(absl::string_view path, absl::string_view name) {
  size_t end = path.find('.');
  for (auto dots = std::count(name.begin(), name.end(), '.'); dots > 0 && end != path.npos; --dots) {
    end = path.find('.', end + 1);
  }
  return path.substr(0, end);
}

// Makes sure that each name is one of the reference, since a name that is not is a slip that would stay unseen.
absl::Status CheckNames(const ReferenceNames& names, const Reference& reference) {
  std::set<std::string> paths, settings;
  for (const auto& [name, tensor] : reference.expected) {
    if (IsOutput(name)) continue;
    ASSIGN_OR_RETURN(Stage stage, ParseStage(name));
    paths.insert(std::move(stage.path));
  }
  for (const auto& [path, values] : reference.settings) {
    paths.insert(path);
    for (const auto& [name, value] : values) settings.insert(name);
  }
  for (const PairedName& pair : names.modules) {
    const auto is_within = [&](const std::string& path) { return SameLevel(path, pair.theirs) == pair.theirs; };
    if (std::any_of(paths.begin(), paths.end(), is_within)) continue;
    std::set<std::string> modules;
    for (const std::string& path : paths) modules.emplace(SameLevel(path, pair.theirs));
    return Wrong(names, absl::StrCat("the reference has no module ", Brief(pair.theirs),
                                     NearestHint(pair.theirs, {modules.begin(), modules.end()})));
  }
  for (const PairedName& pair : names.settings) {
    if (settings.count(pair.theirs) > 0) continue;
    return Wrong(names, absl::StrCat("the reference has no setting ", Brief(pair.theirs),
                                     NearestHint(pair.theirs, {settings.begin(), settings.end()})));
  }
  return absl::OkStatus();
}

// What the model calls the stage `name`; nullopt if it is left out.
absl::StatusOr<absl::optional<std::string>> OurStage(const ReferenceNames& names, const std::string& name) {
  if (IsOutput(name)) return absl::make_optional(name);
  ASSIGN_OR_RETURN(Stage stage, ParseStage(name));
  absl::optional<std::string> path = OurPath(names, stage.path);
  if (!path) return absl::optional<std::string>();
  stage.path = *std::move(path);
  return absl::make_optional(StageName(stage));
}

Settings OurSettings(const ReferenceNames& names, const Settings& theirs) {
  Settings ours;
  for (const auto& [path, values] : theirs) {
    const absl::optional<std::string> our_path = OurPath(names, path);
    if (!our_path) continue;
    for (const auto& [name, value] : values) {
      const auto pair = std::find_if(names.settings.begin(), names.settings.end(),
                                     [&, &name = name](const PairedName& pair) { return pair.theirs == name; });
      if (pair == names.settings.end()) {
        ours[*our_path].emplace(name, value);
      } else if (pair->ours) {
        ours[*our_path][*pair->ours] = value;
      }
    }
  }
  return ours;
}

}  // namespace

absl::StatusOr<ReferenceNames> ParseReferenceNames(const std::string& path, absl::string_view text) {
  YamlProblems problems(path);
  const YamlValue value = ParseYaml({path, std::string(text)}, &problems);
  YamlMapReader reader(value, "the file of names", &problems);
  ReferenceNames names = {.path = path};
  names.modules = ReadPairs(reader, "modules", problems);
  names.settings = ReadPairs(reader, "settings", problems);
  reader.Finish();
  RETURN_IF_ERROR(problems.status());
  return names;
}

absl::Status RenameReference(const ReferenceNames& names, Reference& reference) {
  RETURN_IF_ERROR(CheckNames(names, reference));
  NamedTensors expected;
  std::map<std::string, std::string> slices;
  std::set<std::string> taken;
  for (const auto& [name, tensor] : reference.expected) {
    ASSIGN_OR_RETURN(const absl::optional<std::string> ours, OurStage(names, name));
    if (!ours) continue;
    if (!taken.insert(*ours).second) {
      return Wrong(names,
                   absl::StrCat("two stages of the reference become ", Brief(*ours), ", one of them ", Brief(name)));
    }
    expected.emplace_back(*ours, tensor);
    if (const auto slice = reference.slices.find(name); slice != reference.slices.end()) slices[*ours] = slice->second;
  }
  reference.expected = std::move(expected);
  reference.slices = std::move(slices);
  reference.settings = OurSettings(names, reference.settings);
  return absl::OkStatus();
}

}  // namespace modelport
