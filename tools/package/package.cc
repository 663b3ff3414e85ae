// Writes models of the catalog into folders ready for their host.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "artifact/build/formats.h"
#include "artifact/package/host_files.h"
#include "artifact/package/package_model.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "models/built_in_plugins.h"
#include "nlohmann/json.hpp"
#include "targets/targets.h"
#include "tools/command/commands.h"
#include "tools/command/report.h"
#include "tools/package/node_picture.h"
#include "tools/package/package_request.h"
#include "tools/request/export_request.h"
#include "tools/request/export_summary.h"

namespace modelport {
namespace {

// "the Host's Library": where packages go.
std::string PackagePlaces() {
  return JoinTargets(" or ", [](const Target& host) { return host.package != nullptr ? host.package_place : ""; });
}

// What draws the images of --picture as the node shows them; null without that flag.
DrawPicture DrawnPicture(const PackageRequest& request, const Target& target) {
  if (request.picture.empty()) return nullptr;
  return [&](const std::string& artifact, const std::string& picture) {
    return Annotate(DrawNode(artifact, request.picture, picture, target.icons), "--picture");
  };
}

// A package that was written.
struct Packaged {
  Manifest manifest;
  std::string notes;  // For stderr.
};

// Writes a package to the new folder `out` and prints its summary.
absl::StatusOr<Packaged> PackageOne(PackageFlags& flags, const PackageRequest& request, const ChosenPackage& package,
                                    const std::string& out) {
  const absl::Time start = absl::Now();
  ExportOptions options = request.options;
  options.out = out;
  ASSIGN_OR_RETURN(options.request, ArtifactOf(request, package));
  ASSIGN_OR_RETURN(const std::string choice,
                   ChooseForModel(flags.exported, package.checkpoint, IfNotFound::kFail, options.request));
  if (!request.picture.empty() && std::holds_alternative<Seeded>(options.request.weights)) {
    return absl::FailedPreconditionError(
        absl::StrCat("--picture: ", package.model, " has seeded weights, which predict nothing; give --checkpoint"));
  }
  ASSIGN_OR_RETURN(Manifest manifest,
                   PackageModel(request.registry, options, DrawnPicture(request, *options.request.target)));
  const std::string path = absl::StrCat(out, "/", ArtifactName(manifest));
  const std::string artifact = absl::StrCat(path, FormatOf(*options.request.target).ending());
  const absl::Duration time = absl::Now() - start;
  if (flags.report.is_wanted()) {
    nlohmann::ordered_json report = {{"folder", out}};
    report.update(ExportReport(manifest, artifact, time));
    if (!request.picture.empty()) report["picture"] = PicturePath(artifact);
    flags.report.fields()["packages"].push_back(std::move(report));
  } else {
    std::cout << ExportSummary(manifest, artifact, time)
              << "Next: " << options.request.target->next_step(path, manifest) << "\n"
              << std::flush;
  }
  std::string notes = absl::StrCat(choice, LicenceNote(manifest));
  return Packaged{std::move(manifest), std::move(notes)};
}

// Makes the folder of several packages and those that it is in, unless they exist. Sets `made` to the new ones, the
// innermost first.
absl::Status MakeFolder(const std::string& path, std::vector<std::filesystem::path>& made) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(path, error).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const std::filesystem::path innermost = folder;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error)) {
    return absl::AlreadyExistsError(absl::StrCat(path, ": cannot be the folder of the packages: it is a file"));
  }
  for (; !std::filesystem::exists(folder, error) && folder.has_relative_path(); folder = folder.parent_path()) {
    made.push_back(folder);
  }
  std::filesystem::create_directories(innermost, error);
  if (!error) return absl::OkStatus();
  return absl::ErrnoToStatus(error.value(), absl::StrCat(path, ": cannot be the folder of the packages"));
}

// What failed of several packages.
class Failures {
 public:
  void Add(const std::string& model, const absl::Status& status) {
    if (first_.ok()) first_ = status;
    lines_.push_back(absl::StrCat("  ", model, ": ", absl::StatusCodeToString(status.code()), ": ",
                                  absl::StrReplaceAll(status.message(), {{"\n", "\n  "}})));
  }

  size_t size() const { return lines_.size(); }

  // OK if nothing failed; else the code of the first failure, a line for each one, and `notes`.
  absl::Status status(const std::string& out, size_t packages, const std::string& notes) const {
    if (first_.ok()) return absl::OkStatus();
    const std::string others = lines_.size() == packages ? "" : "; the others are complete";
    return absl::Status(first_.code(), absl::StrCat(out, ": ", lines_.size(), " of ", packages, " packages failed",
                                                    others, "\n", absl::StrJoin(lines_, "\n"),
                                                    notes.empty() ? "" : "\n", absl::StripSuffix(notes, "\n")));
  }

 private:
  absl::Status first_;
  std::vector<std::string> lines_;
};

// Makes the nodes of --choice, for each release of the host one, in folders beside those of their models. `manifests`
// are those of the packages.
absl::Status MakeChoices(PackageFlags& flags, const PackageRequest& request, const std::vector<Manifest>& manifests) {
  std::map<std::string, std::vector<size_t>> choices;  // By the name of the node its packages.
  for (size_t i = 0; i < request.packages.size(); ++i) {
    if (!request.packages[i].choice.empty()) choices[request.packages[i].choice].push_back(i);
  }
  for (const auto& [name, packages] : choices) {
    std::vector<Manifest> chosen;
    for (const size_t i : packages) chosen.push_back(manifests[i]);
    const std::string folder = absl::StrCat(request.out, "/", name);
    const absl::Status made = WriteChoice(*request.packages.front().host.target, chosen, name, folder);
    if (!made.ok()) {
      return Annotate(
          absl::Status(made.code(), absl::StrCat(made.message(), "\n  the packages themselves are complete")),
          "--choice");
    }
    if (!flags.report.is_wanted()) {
      std::cout << "choice      " << folder << "\nNext: README.md in it tells the steps.\n";
      continue;
    }
    for (const size_t i : packages) flags.report.fields()["packages"][i]["choice"] = folder;
    if (choices.size() == 1) flags.report.fields()["choice"] = folder;
  }
  return absl::OkStatus();
}

// Writes each package, whatever becomes of the others.
absl::Status PackageEach(PackageFlags& flags, const PackageRequest& request) {
  std::vector<std::filesystem::path> made;
  RETURN_IF_ERROR(MakeFolder(request.out, made));
  Failures failures;
  std::string notes;
  std::vector<Manifest> manifests;
  for (const std::string& model : request.left_out) {
    absl::StrAppend(&notes, "left out ", model, ": its weights are not public\n");
    flags.report.fields()["left_out"].push_back(model);
  }
  for (const ChosenPackage& package : request.packages) {
    const std::string name = PackageName(request, package), folder = absl::StrCat(request.out, "/", name);
    absl::StatusOr<Packaged> packaged = PackageOne(flags, request, package, folder);
    if (packaged.ok()) {
      absl::StrAppend(&notes, packaged->notes);
      manifests.push_back(std::move(packaged->manifest));
      if (!flags.report.is_wanted()) std::cout << "\n";
    } else {
      failures.Add(name, packaged.status());
      flags.report.fields()["failed"].push_back(
          {{"model", package.model}, {"folder", folder}, {"error", ErrorReport(packaged.status())}});
    }
  }
  std::error_code error;
  if (failures.size() == request.packages.size()) {
    for (const std::filesystem::path& folder : made) std::filesystem::remove(folder, error);
  }
  RETURN_IF_ERROR(failures.status(request.out, request.packages.size(), notes));
  RETURN_IF_ERROR(MakeChoices(flags, request, manifests));
  std::cerr << notes;
  return absl::OkStatus();
}

absl::Status Package(PackageFlags& flags) {
  ASSIGN_OR_RETURN(const PackageRequest request, ParsePackageRequest(BuiltInPlugins(), flags));
  if (request.is_list) return PackageEach(flags, request);
  ASSIGN_OR_RETURN(const Packaged packaged, PackageOne(flags, request, request.packages.front(), request.out));
  // Printed last, since after a failure the first line on stderr is the error.
  std::cerr << packaged.notes;
  return absl::OkStatus();
}

}  // namespace

Command PackageCommand() {
  return {
      .name = "package",
      .summary = absl::StrCat("Exports models of the catalog into folders for ", PackagePlaces(),
                              ". With --model=NAME,NAME, --wrapper=NAME,NAME or --family=NAME each package gets a "
                              "folder in --out=FOLDER. Wanted is ",
                              PackageFlagHint(), "."),
      .begin = TakesFlags<PackageFlags>(Package),
  };
}

}  // namespace modelport
