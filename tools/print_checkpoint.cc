#include "tools/print_checkpoint.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/keymap/left_out.h"
#include "common/source/slot_source.h"
#include "common/source/zeros.h"
#include "common/tensor/shape.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/text/units.h"

namespace modelport {
namespace {

constexpr size_t kShownKey = 100;
constexpr size_t kShownText = 1000;

// Prints the line above a state dict: its paths, its tensors by dtype and the number of elements.
void PrintTitle(const StateDict& dict, std::ostream& out) {
  int64_t elements = 0;
  std::map<absl::string_view, int> dtypes;
  for (const CheckpointTensor& tensor : dict.tensors) {
    elements += *ElementCount(tensor.shape);
    ++dtypes[DTypeName(tensor.dtype)];
  }
  const auto dtype_text = [](std::string* text, const auto& dtype) {
    absl::StrAppend(text, dtype.second, " ", dtype.first);
  };
  out << "\nstate dict " << (dict.path.empty() ? "at the root" : absl::StrCat("\"", Brief(dict.path), "\""))
      << (dict.also.empty() ? "" : absl::StrCat(", also ", FirstFew(dict.also))) << ": " << dict.tensors.size()
      << " tensors (" << absl::StrJoin(dtypes, ", ", dtype_text) << "), " << FormatCount(elements) << " elements\n";
}

// Prints row by row, since a table of all rows could be large.
void PrintStateDict(const StateDict& dict, std::ostream& out) {
  PrintTitle(dict, out);
  size_t key_width = 0, dtype_width = 0;
  for (const CheckpointTensor& tensor : dict.tensors) {
    key_width = std::max(key_width, std::min(tensor.key.size(), kShownKey));
    dtype_width = std::max(dtype_width, DTypeName(tensor.dtype).size());
  }
  for (const CheckpointTensor& tensor : dict.tensors) {
    out << absl::StreamFormat("  %-*s  %-*s  %s\n", key_width, Brief(tensor.key), dtype_width, DTypeName(tensor.dtype),
                              ShapeString(tensor.shape));
  }
}

void PrintLoose(const std::vector<LooseTensors>& loose, std::ostream& out) {
  if (!loose.empty()) out << "\nbeside the state dicts\n";
  for (const LooseTensors& part : loose) {
    out << "  " << Brief(part.path) << " is " << part.holder << ": " << Counted(part.tensors, "tensor") << ", "
        << FormatCount(part.elements) << " elements\n";
  }
}

}  // namespace

void PrintContents(const Checkpoint& checkpoint, std::ostream& out) {
  out << checkpoint.path() << ": " << checkpoint.format() << ", " << FormatBytes(checkpoint.size());
  if (const size_t files = checkpoint.files().size(); files > 1) out << ", an index and " << files - 1 << " shards";
  out << "\n";
  for (const auto& [key, value] : checkpoint.metadata()) {
    out << "  metadata " << Brief(key) << ": " << Brief(value, kShownText) << "\n";
  }
  for (const StateDict& dict : checkpoint.state_dicts()) PrintStateDict(dict, out);
  PrintLoose(checkpoint.loose(), out);
}

void PrintFit(const std::vector<std::string>& fitting, const absl::optional<NearestVariant>& nearest,
              std::ostream& out) {
  out << "\nfits " << (fitting.empty() ? "no model of the catalog" : absl::StrJoin(fitting, ", ")) << "\n";
  if (nearest) out << "the nearest is " << nearest->name << " " << nearest->differences << "\n";
}

void PrintPlan(const Plan& plan, const ModuleTree& tree, absl::string_view model, std::ostream& out) {
  size_t filled = 0;
  for (const SlotSource& source : plan.sources) filled += source.zeros() == nullptr;
  out << "\nfits " << model << ": layout " << plan.layout
      << (plan.state_dict.empty() ? "" : absl::StrCat(", state dict \"", Brief(plan.state_dict), "\"")) << ", "
      << filled << " of " << tree.slots.size() << " slots filled\n";
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    const Zeros* const zeros = plan.sources[i].zeros();
    if (zeros != nullptr) out << "  zeros: " << tree.slots[i].name << " (" << zeros->reason << ")\n";
  }
  for (const auto& [slot, key] : plan.aliases) out << "  shared: " << slot << " is stored as " << key << "\n";
  for (const auto& [key, reason] : plan.unused) out << "  unused: " << Brief(key) << " (" << reason << ")\n";
  if (!plan.left_out.empty()) out << "  left out: " << DescribeLeftOut(plan.left_out) << "\n";
}

}  // namespace modelport
