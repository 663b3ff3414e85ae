#include "tools/new_plugin/module_yaml.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/tensor/dtype.h"

namespace modelport {
namespace {

// The children that the comment in a forward names; a block of text has a limit.
constexpr size_t kShownChildren = 50;

// A field of a map. YAML reads the plain word null as nothing.
std::string Field(absl::string_view name) {
  return absl::EqualsIgnoreCase(name, "null") ? absl::StrCat("\"", name, "\":") : absl::StrCat(name, ":");
}

bool IsBuffer(const KeyNode::Tensor& tensor) {
  return !IsFloating(tensor.key.tensor->dtype) || tensor.name == "running_mean" || tensor.name == "running_var";
}

// Adds `entry` behind "NAME:" or "-" in a line that is indented by `indent`.
void AddEntry(const DraftedEntry& entry, const std::string& indent, SizedText* yaml) {
  if (entry.items.empty()) {
    yaml->Add(" ").Add(entry.call).Add(entry.note.empty() ? "" : "  # ").Add(entry.note).Add("\n");
    return;
  }
  yaml->Add("\n");
  for (const auto& [item, repeat] : entry.items) {
    yaml->Add(absl::StrCat(indent, "  -"));
    if (repeat > 1) yaml->Add(absl::StrCat(" repeat: ", repeat, "\n", indent, "   "));
    if (repeat > 1 || !item.items.empty()) yaml->Add(" module:");
    AddEntry(item, indent + "    ", yaml);
  }
}

// Adds the tensors of `node` that are buffers, or those that are parameters.
void AddTensors(const KeyNode& node, bool are_buffers, SizedText* yaml) {
  absl::string_view head = are_buffers ? "    buffers:\n" : "    parameters:\n";
  for (const KeyNode::Tensor& tensor : node.tensors) {
    if (IsBuffer(tensor) != are_buffers) continue;
    const DType dtype = tensor.key.tensor->dtype;
    yaml->Add(head).Add("      ").Add(Field(tensor.name)).Add(IsFloating(dtype) ? " [" : " {shape: [");
    head = "";
    absl::string_view separator = "";
    for (const int64_t size : tensor.key.tensor->shape) {
      yaml->Add(separator).AddSize("size", size);
      separator = ", ";
    }
    yaml->Add(IsFloating(dtype) ? "]\n" : absl::StrCat("], dtype: ", DTypeName(dtype), "}\n"));
  }
}

// A forward that computes nothing and says so.
std::string DraftForward(const KeyNode& node) {
  std::string text =
      "    methods: |\n"
      "      def forward(self, x: Tensor) -> Tensor:\n"
      "        # DRAFT: returns its input. Write the forward of upstream's class";
  absl::StrAppend(&text, node.children.empty() ? ".\n" : "; it has, in the order of the file:\n");
  for (size_t i = 0; i < std::min(node.children.size(), kShownChildren); ++i) {
    absl::StrAppend(&text, "        #   x = self.", node.children[i]->name, "(x)\n");
  }
  if (node.children.size() > kShownChildren) {
    absl::StrAppend(&text, "        #   and ", node.children.size() - kShownChildren, " more\n");
  }
  return absl::StrCat(text, "        return x\n");
}

}  // namespace

void DraftedEntry::AddItem(DraftedEntry item, int count) {
  if (!items.empty() && items.back().first == item) {
    items.back().second += count;
  } else {
    items.emplace_back(std::move(item), count);
  }
}

SizedText ModuleYaml(const KeyNode& module, absl::FunctionRef<DraftedEntry(const KeyNode&)> draft_child) {
  SizedText yaml;
  AddTensors(module, /*are_buffers=*/false, &yaml);
  AddTensors(module, /*are_buffers=*/true, &yaml);
  if (!module.children.empty()) yaml.Add("    children:\n");
  for (const auto& child : module.children) {
    yaml.Add("      ").Add(Field(child->name));
    AddEntry(draft_child(*child), "      ", &yaml);
  }
  return yaml.Add(DraftForward(module));
}

}  // namespace modelport
