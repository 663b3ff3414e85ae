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

absl::Status TakeFamily(const std::string& family, PackageRequest& request) {
  std::vector<std::string> families;
  for (const CatalogEntry& entry : request.registry.catalog()) {
    if (families.empty() || families.back() != entry.plugin->family) families.push_back(entry.plugin->family);
    if (entry.plugin->family != family) continue;
    (entry.variant->published ? request.models : request.left_out).push_back(entry.variant->name);
  }
  request.is_list = true;
  if (!request.models.empty()) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("--family=", family, ": ",
                                          request.left_out.empty()
                                              ? absl::StrCat("unknown family", NearestHint(family, families))
                                              : "none of its models is public"));
}

absl::Status TakeModels(const std::string& names, PackageRequest& request) {
  request.models = absl::StrSplit(names, ',');
  request.is_list = request.models.size() > 1;
  std::vector<std::string> sorted = request.models;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--model=", names, ": wants a name before and after each comma"));
  }
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--model=", names, ": names ", *twice, " twice"));
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

std::string PackageName(const PackageRequest& request, const std::string& model) {
  const absl::StatusOr<CatalogEntry> entry = request.registry.Find(model);
  if (!entry.ok()) return model;
  ArtifactRequest artifact = request.options.request;
  artifact.entry = *entry;
  return NameOfArtifact(artifact).value_or(model);
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
}

absl::StatusOr<PackageRequest> ParsePackageRequest(const BuiltIn& built_in, const PackageFlags& flags) {
  const std::string models = *flags.exported.model, family = *flags.family;
  if (models.empty() && family.empty()) return ModelMissing();
  if (!models.empty() && !family.empty()) {
    return absl::InvalidArgumentError("--model and --family exclude each other: give one of them");
  }
  ASSIGN_OR_RETURN(Registry registry, LoadRegistry(built_in, flags.exported.registry));
  PackageRequest request = {.registry = std::move(registry)};
  RETURN_IF_ERROR(family.empty() ? TakeModels(models, request) : TakeFamily(family, request));
  if (request.is_list && !flags.exported.checkpoint->empty()) {
    return absl::InvalidArgumentError(
        "--checkpoint is for one model: for several, put each published file where it is looked for, in this folder "
        "or in the Hugging Face cache");
  }
  ASSIGN_OR_RETURN(request.options, ParseExportOptions(flags.exported));
  if (request.options.request.target->package == nullptr && flags.exported.host.target->empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a host is missing: pass ", PackageFlagHint()));
  }
  request.out = OutPath(flags.exported, request.is_list ? "." : PackageName(request, request.models.front()));
  return request;
}

}  // namespace modelport
