#include "tools/verify/print_verification.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/manifest/describe_manifest.h"
#include "common/tensor/shape.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

void PrintCheck(absl::string_view verdict, const std::string& check, std::ostream& out) {
  out << absl::StreamFormat("  %-11s  %s\n", verdict, Printable(check));
}

std::string TierText(Tier tier) {
  switch (tier) {
    case Tier::kFile:
      return "file, the first of three: it is the one that its manifest is about";
    case Tier::kWeights:
      return "weights, the second of three: its tensors are those of their source, too";
    case Tier::kCode:
      return "code, the last of three: this release makes the same file";
  }
  return "";
}

std::string Describe(const ComparedTensor& tensor) {
  return absl::StrCat("reference ", tensor.name, " ", ShapeString(tensor.shape), ": ",
                      tensor.obstacle.empty()
                          ? absl::StrFormat("max diff %.3g, tolerance %.3g", tensor.measures.max_abs, tensor.tolerance)
                          : tensor.obstacle);
}

}  // namespace

void PrintVerification(const Verification& verification, std::ostream& out) {
  const Manifest& manifest = verification.manifest;
  out << Printable(manifest.model()) << " from " << Printable(WeightsSourceText(manifest)) << "\n";
  PrintCheck("reached", TierText(verification.reached), out);
  for (const std::string& check : verification.passed) PrintCheck("passed", check, out);
  for (const std::string& check : verification.not_checked) PrintCheck("not checked", check, out);
  if (!verification.reference) return;
  for (const ComparedTensor& tensor : verification.reference->tensors) {
    PrintCheck(tensor.passed() ? "passed" : "failed", Describe(tensor), out);
  }
  const std::vector<std::string>& unexpected = verification.reference->unexpected;
  if (!unexpected.empty()) {
    PrintCheck("not checked", absl::StrCat("outputs that the reference lacks: ", FirstFew(unexpected)), out);
  }
}

}  // namespace modelport
