#include "tools/package/package_request.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "artifact/request/artifact_request.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "targets/targets.h"
#include "tools/command/tool_call.h"
#include "tools/request/load_registry.h"

namespace modelport {
namespace {

// The public models of a family; sets `left_out` to the others.
absl::StatusOr<std::vector<std::string>> ModelsOf(const std::string& family, PackageRequest& request) {
  std::vector<std::string> models;
  std::vector<std::string> families;
  for (const CatalogEntry& entry : request.registry.catalog()) {
    if (families.empty() || families.back() != entry.plugin->family) families.push_back(entry.plugin->family);
    if (entry.plugin->family != family) continue;
    (entry.variant->published ? models : request.left_out).push_back(entry.variant->name);
  }
  if (!models.empty()) return models;
  return absl::NotFoundError(absl::StrCat("--family=", family, ": ",
                                          request.left_out.empty()
                                              ? absl::StrCat("unknown family", NearestHint(family, families))
                                              : "none of its models is public"));
}

// The names that a flag has, each once. `names` is not empty.
absl::StatusOr<std::vector<std::string>> NamesOf(const AnyFlag& flag, const std::string& names) {
  const std::vector<std::string> list = absl::StrSplit(names, ',');
  std::vector<std::string> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  const std::string given = absl::StrCat("--", flag.name(), "=", names);
  if (sorted.front().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(given, ": wants a name before and after each comma"));
  }
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return list;
  return absl::InvalidArgumentError(absl::StrCat(given, ": names ", *twice, " twice"));
}

// "host, which --host means, too, or other": each host that has packages.
std::string HostsWithPackages() {
  return JoinTargets(", or ", [](const Target& host) {
    if (host.package == nullptr) return std::string();
    return absl::StrCat(host.name,
                        host.runtime_of == nullptr ? "" : absl::StrCat(", which --", host.name, " means, too"));
  });
}

}  // namespace

std::string PackageName(const PackageRequest& request, const ChosenPackage& package) {
  const absl::StatusOr<CatalogEntry> entry = request.registry.Find(package.model);
  if (!entry.ok()) return package.model;
  ArtifactRequest artifact = request.options.request;
  artifact.entry = *entry;
  artifact.wrapper = package.wrapper;
  return NameOfArtifact(artifact).value_or(package.model);
}

PackageFlags::PackageFlags() {
  exported.model.set_help(absl::StrCat("the variant to package, such as dav2_vits, or several with commas between; ",
                                       ToolCall("list"), " shows all"));
  exported.checkpoint.set_help(
      "for one model: the published file of weights, or several with commas between for a model of several files; by "
      "default they are looked for here and in the Hugging Face cache");
  exported.out.set_help(
      "the folder to make; by default it is named after the model, in the current folder; of several models the folder "
      "for their folders, by default the current one");
  exported.wrapper.set_help(absl::StrCat(exported.wrapper.help(), "; several with commas between make a package each"));
  exported.dtype.set_help("dtype of the artifact's weights: float32 or float16");
  exported.host.target.set_help(
      absl::StrCat("the host that the package is for: ", HostsWithPackages(), "; one of both is wanted"));
  // The error about an unknown flag lists the first few flags: these, which most users give.
  const FlagGroup first = {&exported.model, &exported.checkpoint, &exported.out, &exported.dtype,
                           &exported.host.target};
  Remove(group, first);
  group.insert(group.begin() + 1, first.begin(), first.end());
  // A package has images of any size, prepared by its node, in a proven artifact.
  Remove(group, {&exported.family, &exported.with_preprocess, &exported.verify});
  family.NotWith({&exported.model}, "a family has its models");
}

absl::StatusOr<PackageRequest> ParsePackageRequest(const BuiltIn& built_in, const PackageFlags& flags) {
  const std::string models = *flags.exported.model, family = *flags.family;
  if (models.empty() && family.empty()) return ModelMissing();
  ASSIGN_OR_RETURN(Registry registry, LoadRegistry(built_in, flags.exported.registry));
  PackageRequest request = {.registry = std::move(registry)};
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   family.empty() ? NamesOf(flags.exported.model, models) : ModelsOf(family, request));
  if ((names.size() > 1 || !family.empty()) && !flags.exported.checkpoint->empty()) {
    return absl::InvalidArgumentError(
        "--checkpoint is for one model: for several, put each published file where it is looked for, in this folder "
        "or in the Hugging Face cache");
  }
  ASSIGN_OR_RETURN(request.options, ParseExportOptions(flags.exported));
  if (request.options.request.target->package == nullptr && flags.exported.host.target->empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a host is missing: pass ", PackageFlagHint()));
  }
  std::vector<std::string> wrappers = {""};
  if (const std::string flag = *flags.exported.wrapper; !flag.empty()) {
    ASSIGN_OR_RETURN(wrappers, NamesOf(flags.exported.wrapper, flag));
  }
  for (const std::string& name : names) {
    for (const std::string& wrapper : wrappers) request.packages.push_back({name, wrapper});
  }
  request.is_list = request.packages.size() > 1 || !family.empty();
  request.out = OutPath(flags.exported, request.is_list ? "." : PackageName(request, request.packages.front()));
  return request;
}

}  // namespace modelport
