#include "tools/package/package_request.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "targets/targets.h"
#include "tools/command/tool_call.h"
#include "tools/command/user_path.h"
#include "tools/predict/find_images.h"
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

// The checkpoints of each of `models`, which `flag` names: all of them for one model, or one for each of several.
absl::StatusOr<std::vector<std::string>> CheckpointsOf(const std::string& flag,
                                                       const std::vector<std::string>& models) {
  if (flag.empty() || models.size() == 1) return std::vector<std::string>(models.size(), flag);
  std::vector<std::string> files = absl::StrSplit(flag, ',');
  if (files.size() == models.size()) return files;
  return absl::InvalidArgumentError(
      absl::StrCat("--checkpoint=", flag, ": wants one file for each of the ", models.size(),
                   " models, in their order, has ", files.size(),
                   "; a model of several files is packaged alone, and published files are found in this folder and in "
                   "the Hugging Face cache without this flag"));
}

// "host, which --host means, too, or other": each host that has packages.
std::string HostsWithPackages() {
  return JoinTargets(", or ", [](const Target& host) {
    if (host.package == nullptr) return std::string();
    return absl::StrCat(host.name,
                        host.runtime_of == nullptr ? "" : absl::StrCat(", which --", host.name, " means, too"));
  });
}

// "host15_1": what tells the packages for several releases of a host apart, in folders that all of them search.
std::string ReleaseName(const HostRequest& host) {
  std::string release = host.release;
  std::replace_if(
      release.begin(), release.end(), [](char c) { return !absl::ascii_isalnum(c); }, '_');
  return absl::StrCat(host.target->name, release);
}

// Makes sure that `name`, to which a release may have been added, is not too long for an artifact.
absl::Status CheckLength(const std::string& name) {
  if (name.size() <= kLongestName) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(Brief(name), ": a name has at most ", kLongestName,
                                                 " characters; give a shorter one with --name or --choice"));
}

// Makes sure that the packages for each host can be choices of a node, and that its name is none of theirs. `choice` is
// --choice, "" for none; `models` is how many they are of.
absl::Status CheckChoice(const PackageRequest& request, const std::string& choice, size_t models) {
  if (choice.empty()) return absl::OkStatus();
  const auto refuse = [&](const std::string& why) {
    return absl::InvalidArgumentError(absl::StrCat("--choice=", Brief(choice), ": ", why));
  };
  if (!IsArtifactName(choice)) {
    return refuse("wants a name of letters, digits and _ that begins with a letter, such as depth_anything");
  }
  if (models < 2) return refuse("wants several models: --model=NAME,NAME or --family=NAME");
  const ChosenPackage& first = request.packages.front();
  if (first.host.target->choice == nullptr) {
    return refuse(absl::StrCat(first.host.target->title, " has no nodes that choose between models"));
  }
  for (const ChosenPackage& package : request.packages) {
    if (package.wrapper != first.wrapper) return refuse("its models have one wrapper: give --wrapper one name");
    if (PackageName(request, package) == package.choice) return refuse("is the name of a package");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ArtifactRequest> ArtifactOf(const PackageRequest& request, const ChosenPackage& package) {
  ArtifactRequest artifact = request.options.request;
  ASSIGN_OR_RETURN(artifact.entry, request.registry.Find(package.model));
  artifact.wrapper = package.wrapper;
  artifact.target = package.host.target;
  artifact.runtime = package.host.runtime;
  artifact.name = package.name;
  return artifact;
}

std::string PackageName(const PackageRequest& request, const ChosenPackage& package) {
  const absl::StatusOr<ArtifactRequest> artifact = ArtifactOf(request, package);
  if (!artifact.ok()) return package.model;
  return NameOfArtifact(*artifact).value_or(package.model);
}

PackageFlags::PackageFlags() {
  exported.model.set_help(absl::StrCat("the variant to package, such as dav2_vits, or several with commas between; ",
                                       ToolCall("list"), " shows all"));
  exported.checkpoint.set_help(
      "the published file of weights, or several with commas between for a model of several files; of several models "
      "one for each, in their order; by default they are looked for here and in the Hugging Face cache");
  exported.out.set_help(
      "the folder to make; by default it is named after the model, in the current folder; of several models the folder "
      "for their folders, by default the current one");
  exported.wrapper.set_help(absl::StrCat(exported.wrapper.help(), "; several with commas between make a package each"));
  for (const std::unique_ptr<HostFlags::Release>& release : exported.host.releases) {
    release->flag.set_help(absl::StrCat(release->flag.help(), "; several with commas between make a package each"));
  }
  exported.dtype.set_help("dtype of the artifact's weights: float32 or float16");
  exported.host.target.set_help(
      absl::StrCat("the host that the package is for: ", HostsWithPackages(), "; one of these is wanted"));
  // The error about an unknown flag lists the first few flags: these, which most users give.
  const FlagGroup first = {&exported.model, &exported.checkpoint, &exported.out, &exported.dtype,
                           &exported.host.target};
  Remove(group, first);
  group.insert(group.begin() + 1, first.begin(), first.end());
  // A package has images of any size, prepared by its node, in a proven artifact.
  Remove(group, {&exported.family, &exported.with_preprocess, &exported.verify});
  family.NotWith({&exported.model}, "a family has its models");
  family.NotWith({&exported.checkpoint}, "each of its models has a file of its own");
}

absl::StatusOr<PackageRequest> ParsePackageRequest(const BuiltIn& built_in, const PackageFlags& flags) {
  const std::string models = *flags.exported.model, family = *flags.family;
  if (models.empty() && family.empty()) return ModelMissing();
  ASSIGN_OR_RETURN(Registry registry, LoadRegistry(built_in, flags.exported.registry));
  PackageRequest request = {.registry = std::move(registry)};
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   family.empty() ? NamesOf(flags.exported.model) : ModelsOf(family, request));
  ASSIGN_OR_RETURN(const std::vector<std::string> checkpoints, CheckpointsOf(*flags.exported.checkpoint, names));
  ASSIGN_OR_RETURN(const std::vector<HostRequest> hosts, ParseHostRequests(flags.exported.host));
  if (hosts.front().target->package == nullptr && flags.exported.host.target->empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a host is missing: pass ", PackageFlagHint()));
  }
  ASSIGN_OR_RETURN(request.options, ParseExportOptions(flags.exported, hosts.front()));
  std::vector<std::string> wrappers = {""};
  if (!flags.exported.wrapper->empty()) {
    ASSIGN_OR_RETURN(wrappers, NamesOf(flags.exported.wrapper));
  }
  const std::string name = *flags.exported.name;
  if (!name.empty() && (names.size() > 1 || wrappers.size() > 1 || !family.empty())) {
    return absl::InvalidArgumentError(
        absl::StrCat("--name=", name, ": is for one node of one model, and several packages cannot have one name"));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    for (const std::string& wrapper : wrappers) {
      for (const HostRequest& host : hosts) {
        ChosenPackage package = {names[i], wrapper, host, checkpoints[i], name, *flags.choice};
        if (hosts.size() > 1) {
          package.name = absl::StrCat(PackageName(request, package), "_", ReleaseName(host));
          if (!package.choice.empty()) absl::StrAppend(&package.choice, "_", ReleaseName(host));
        }
        RETURN_IF_ERROR(CheckLength(package.name));
        RETURN_IF_ERROR(CheckLength(package.choice));
        request.packages.push_back(std::move(package));
      }
    }
  }
  if (const std::vector<std::string> images = ResolveUserPaths(*flags.picture); !images.empty()) {
    ASSIGN_OR_RETURN(const FoundImages found, FindImages(images));
    for (const FoundImage& image : found.images) request.picture.push_back(image.path);
  }
  request.is_list = request.packages.size() > 1 || !family.empty();
  RETURN_IF_ERROR(CheckChoice(request, *flags.choice, names.size()));
  request.out = OutPath(flags.exported, request.is_list ? "." : PackageName(request, request.packages.front()));
  return request;
}

}  // namespace modelport
