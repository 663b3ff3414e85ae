// The flags of the tool that writes packages.
#ifndef MODELPORT_TOOLS_PACKAGE_PACKAGE_REQUEST_H_
#define MODELPORT_TOOLS_PACKAGE_PACKAGE_REQUEST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "artifact/export/export_model.h"
#include "artifact/request/artifact_request.h"
#include "registry/registry.h"
#include "tools/command/flags.h"
#include "tools/command/report.h"
#include "tools/request/export_request.h"
#include "tools/request/host_request.h"

namespace modelport {

// A package of a variant, which may be unknown.
struct ChosenPackage {
  std::string model;
  std::string wrapper;          // Which makes its node; "" for the first one.
  HostRequest host;             // That it is for.
  std::string checkpoint = {};  // Its files of weights, as --checkpoint has them; "" without that flag.
  std::string name = {};        // Of the artifact; "" for that of the model and the wrapper.
  std::string choice = {};      // The node of --choice that chooses between it and others of its host; "" for none.
};

// The packages that the flags ask for.
struct PackageRequest {
  Registry registry;
  std::vector<ChosenPackage> packages = {};  // Each is there once.
  std::vector<std::string> left_out = {};    // The variants of --family whose weights are not public.
  bool is_list = false;                      // Whether each package is a folder in `out`, named by PackageName.
  ExportOptions options = {};                // All but what a ChosenPackage says, the weights and `out`.
  std::vector<std::string> picture = {};     // The images of --picture.
  std::string out = {};  // --out, or else for one package its PackageName, and for several the user's folder.
};

// The artifact of a package, with seeded weights.
//   NotFound  no such model
absl::StatusOr<ArtifactRequest> ArtifactOf(const PackageRequest& request, const ChosenPackage& package);

// The name of the folder for a package: its artifact's or, where none can be made, the model's.
std::string PackageName(const PackageRequest& request, const ChosenPackage& package);

// The flags of the tool: --family, and ExportFlags as far as a package leaves a choice.
struct PackageFlags {
  PackageFlags();

  FlagGroup group;
  Flag<std::string> family{
      group, "family", "",
      "in the place of --model: every model of this family whose weights are public, such as depth_anything_v2"};
  Flag<std::string> picture{
      group, "picture", "",
      "an image that the node is run on: NAME_picture.png in the package shows what it makes of it; with a comma "
      "between, where the model wants two, the image and its trimap, unless that is in alpha, or its coarse depth, or "
      "both "
      "frames; wants weights that are not seeded"};
  Flag<std::string> choice{
      group, "choice", "",
      "with several models: a node of this name beside theirs, whose pulldown chooses which of them it runs"};
  ExportFlags exported{group};
  Report report{group};
};

// Reads these flags. --model, --wrapper and the flag of a host's releases may name several with commas between;
// --checkpoint names a file for each of several models. The models are of the plugins `built_in` or of --plugin_path.
//   InvalidArgument  a flag that is missing, of a wrong value or at odds with another
//   NotFound         an unknown family, no plugin in --plugin_path, or no image at --picture
absl::StatusOr<PackageRequest> ParsePackageRequest(const BuiltIn& built_in, const PackageFlags& flags);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PACKAGE_PACKAGE_REQUEST_H_
