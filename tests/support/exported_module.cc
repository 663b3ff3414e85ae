#include "tests/support/exported_module.h"

#include <torch/csrc/jit/api/module.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "artifact/export/export_model.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/module_archive.h"
#include "targets/targets.h"

namespace modelport {

absl::StatusOr<torch::jit::Module> ExportSeeded(const Registry& registry, const std::string& model, uint64_t seed,
                                                const std::function<void(ExportOptions&)>& change) {
  ExportOptions options;
  ASSIGN_OR_RETURN(options.request.entry, registry.Find(model));
  options.request.weights = Seeded{seed};
  options.out = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", model, ".pt");
  options.prove = false;
  change(options);
  RETURN_IF_ERROR(ExportModel(registry, options).status());
  absl::StatusOr<torch::jit::Module> module = LoadModule(options.out);
  // The files are large, and the module has its own copy of the weights.
  std::filesystem::remove(options.out);
  return module;
}

absl::StatusOr<torch::jit::Module> ExportSeeded(const Registry& registry, const std::string& model, uint64_t seed,
                                                const std::string& target) {
  ASSIGN_OR_RETURN(const Target* known, FindTarget(target));
  return ExportSeeded(registry, model, seed, [&](ExportOptions& options) { options.request.target = known; });
}

}  // namespace modelport
