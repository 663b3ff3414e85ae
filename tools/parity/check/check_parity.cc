#include "tools/parity/check/check_parity.h"

#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/load_module.h"
#include "common/torchscript/archive/save_module.h"
#include "tools/parity/check/compared_model.h"
#include "tools/parity/check/reduce.h"

namespace modelport {
namespace {

// The file name for a module that an artifact or a reference names: foreign text, which must not lead elsewhere.
std::string FileName(const std::string& module) {
  std::string name = module;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !absl::ascii_isalnum(c) && c != '.' && c != '-'; }, '_');
  return absl::StartsWith(name, ".") ? absl::StrCat("_", name) : name;
}

}  // namespace

absl::StatusOr<ParityReport> CheckParity(const ComparedModel& model, const Reference& reference, CompareOptions options,
                                         bool bisects) {
  options.lenient = true;
  ParityReport report = {.model = model.name, .reference = reference.path};
  report.settings = CompareSettings(reference.settings, FindSettings(model.module));
  ASSIGN_OR_RETURN(report.comparison, CompareReference(model.module, reference, options));
  report.divergence = FindDivergence(report.comparison);
  if (bisects) {
    options.inject_all = true;
    options.keep_tensors = false;
    ASSIGN_OR_RETURN(const ReferenceComparison forced, CompareReference(model.module, reference, options));
    report.suspects = FindSuspects(forced, report.settings.differences);
    report.smallest = FindReduction(model.module, forced, *report.suspects);
  }
  return report;
}

absl::StatusOr<SavedReduction> SaveReduction(const ComparedModel& model, const Reference& reference, const Stage& call,
                                             const std::string& folder) {
  ASSIGN_OR_RETURN(const Reduction reduction, Reduce(model.module, reference, call));
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // What fails here, fails below with a message.
  const std::string name = FileName(call.path.empty() ? reference.model : call.path);
  SavedReduction saved = {.module_path = absl::StrCat(folder, "/", name, ".pt"),
                          .reference_path = absl::StrCat(folder, "/", name, ".safetensors")};
  ASSIGN_OR_RETURN(OutputFile module_file, OutputFile::Create(saved.module_path));
  ASSIGN_OR_RETURN(OutputFile reference_file, OutputFile::Create(saved.reference_path));
  RETURN_IF_ERROR(WriteArchive(reduction.module, /*runtime=*/nullptr, /*extra=*/{}, module_file));
  RETURN_IF_ERROR(WriteReference(reduction.reference, reference_file));
  ASSIGN_OR_RETURN(const torch::jit::Module module, LoadModule(module_file.ReadablePath()));
  ASSIGN_OR_RETURN(const ReferenceComparison comparison,
                   CompareReference(module, reduction.reference, {.lenient = true}));
  saved.divergence = FindDivergence(comparison);
  RETURN_IF_ERROR(OutputFile::CommitTogether({&module_file, &reference_file}));
  return saved;
}

}  // namespace modelport
