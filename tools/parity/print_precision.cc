#include "tools/parity/print_precision.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/text/printable.h"
#include "common/text/table.h"

namespace modelport {
namespace {

constexpr size_t kShown = 12;

std::string LossTable(const std::vector<ComparedTensor>& losses) {
  Table table;
  table.AddRow({"  stage", "relative loss", "SNR"});
  for (size_t i = 0; i < std::min(losses.size(), kShown); ++i) {
    const Measures& measures = losses[i].measures;
    const bool is_compared = losses[i].obstacle.empty();
    table.AddRow({"  " + losses[i].name,
                  is_compared ? absl::StrFormat("%.3g", measures.relative()) : losses[i].obstacle,
                  !is_compared               ? ""
                  : std::isinf(measures.snr) ? "equal"
                                             : absl::StrFormat("%.0f dB", measures.snr)});
  }
  return absl::StrCat(table.ToString(),
                      losses.size() > kShown ? absl::StrCat("  +", losses.size() - kShown, " more\n") : "");
}

}  // namespace

std::string PrecisionText(absl::string_view model, absl::string_view dtype, const std::vector<ComparedTensor>& losses,
                          const MixedPrecision& mixed, double error) {
  std::string text = absl::StrCat(Printable(model), " in ", dtype, "\n\nwhat each module loses on right input\n",
                                  LossTable(losses), "\n");
  if (mixed.error > error) {
    absl::StrAppend(&text, absl::StrFormat("an error of %g cannot be kept: it is %.3g with all %d modules in float32\n",
                                           error, mixed.error, mixed.kept.size()));
  } else if (mixed.kept.empty()) {
    absl::StrAppend(
        &text, absl::StrFormat("all may compute in %s: error %.3g, at most %g asked for\n", dtype, mixed.error, error));
  } else {
    absl::StrAppend(&text,
                    absl::StrFormat("must stay in float32 for an error of %g, with them %.3g:\n", error, mixed.error));
    for (const std::string& path : mixed.kept) absl::StrAppend(&text, "  ", Printable(path), "\n");
  }
  absl::StrAppend(&text,
                  absl::StrFormat("cost: %.1f %% of the weights in float32; found in %d runs\n",
                                  mixed.elements == 0 ? 0 : 100.0 * mixed.kept_elements / mixed.elements, mixed.runs));
  return text;
}

}  // namespace modelport
