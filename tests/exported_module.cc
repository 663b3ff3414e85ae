#include "tests/exported_module.h"

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "common/archive/load_module.h"
#include "common/status/status_macros.h"
#include "pipeline/export_model.h"
#include "targets/targets.h"

namespace modelport {

absl::StatusOr<torch::jit::Module> ExportSeeded(const Registry& registry, const std::string& model, uint64_t seed,
                                                const std::string& target) {
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(model));
  ExportOptions options;
  options.weights = Seeded{seed};
  ASSIGN_OR_RETURN(options.target, FindTarget(target));
  options.out = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", model, ".pt");
  options.prove = false;
  RETURN_IF_ERROR(ExportModel(registry, entry, options).status());
  absl::StatusOr<torch::jit::Module> module = LoadModule(options.out);
  // The files are large, and the module has its own copy of the weights.
  std::filesystem::remove(options.out);
  return module;
}

}  // namespace modelport
