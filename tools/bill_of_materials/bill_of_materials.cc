// Writes the bill of materials of an artifact from its manifest. The rules model_artifact() and model_proofs() run it.
#include "common/manifest/bill_of_materials.h"

#include <memory>
#include <string>

#include "common/io/mapped_file.h"
#include "common/io/output_file.h"
#include "common/manifest/manifest.h"
#include "common/status/status_macros.h"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/command/user_path.h"

namespace modelport {
namespace {

struct BillFlags {
  FlagGroup group;
  Flag<std::string> manifest{group, "manifest", "", "the manifest of the artifact"};
  Flag<std::string> out{group, "out", "", "the bill of materials to write"};
};

absl::Status WriteBillOfMaterials(const BillFlags& flags) {
  const std::string path = ResolveUserPath(*flags.manifest);
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  ASSIGN_OR_RETURN(const Manifest manifest, ParseManifest(file->bytes(), path));
  ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(ResolveUserPath(*flags.out)));
  RETURN_IF_ERROR(out.Write(BillOfMaterials(manifest, manifest.artifact().sha256())));
  return out.Commit();
}

}  // namespace

Command BillOfMaterialsCommand() {
  return {
      .name = "bill_of_materials",
      .summary = "Writes the bill of materials of an artifact from its manifest.",
      .begin = TakesFlags<BillFlags>(WriteBillOfMaterials),
  };
}

}  // namespace modelport
