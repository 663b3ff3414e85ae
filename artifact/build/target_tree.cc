#include "artifact/build/target_tree.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/expression/expression.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "registry/plugin.h"
#include "registry/wrappers.h"

namespace modelport {
namespace {

std::string OutputsFlag(const std::vector<std::string>& outputs) {
  return absl::StrCat("--outputs=", Brief(absl::StrJoin(outputs, ",")));
}

absl::StatusOr<ChosenWrapper> ChooseWrapper(const ArtifactRequest& request, const Variant& variant) {
  return FindWrapper(*request.entry.plugin, variant, *request.target, request.with_preprocess, request.wrapper);
}

absl::StatusOr<KeptOutputs> Keep(const std::shared_ptr<const ModuleTree>& model, const Variant& variant,
                                 const std::vector<std::string>& outputs) {
  absl::StatusOr<KeptOutputs> kept = KeepOutputs(model, variant.module, outputs);
  if (kept.ok()) return kept;
  return Annotate(Annotate(kept.status(), variant.name), OutputsFlag(outputs));
}

absl::Status SetKnob(const std::string& name, double value, ModuleNode& root) {
  ASSIGN_OR_RETURN(const int index, FindKnob(root.knobs, name, value));
  Knob& knob = root.knobs[index];
  knob.value = value;
  for (auto& [attribute, stored] : root.attributes) {
    if (attribute == name) stored = knob.is_integer ? Value(static_cast<int64_t>(value)) : Value(value);
  }
  return absl::OkStatus();
}

// What the code of `whole` sees of its knobs. What its outputs state holds at the knobs' own values alone.
absl::Status SetKnobs(const std::map<std::string, double>& knobs, ModuleTree& whole) {
  for (const auto& [name, value] : knobs) RETURN_IF_ERROR(SetKnob(name, value, whole.root));
  if (knobs.empty()) return absl::OkStatus();
  for (EntryPoint& entry_point : whole.entry_points) {
    for (Port& output : entry_point.outputs) {
      output.unit.clear();
      output.larger_is.clear();
      output.min.reset();
      output.max.reset();
    }
  }
  return absl::OkStatus();
}

// Makes sure that the method of `request`, if it is not forward, is one that a file can have in its place: an entry
// point of `whole`, which holds `model`.
absl::Status CheckMethod(const ArtifactRequest& request, const ModuleTree& model, const ModuleTree& whole) {
  if (request.method == "forward") return absl::OkStatus();
  const auto refuse = [&](const std::string& why) {
    return absl::InvalidArgumentError(absl::StrCat("--method=", Brief(request.method), ": ", why));
  };
  const Target& target = *request.target;
  if (target.wraps()) {
    return refuse(absl::StrCat("an artifact for ", target.name,
                               " holds forward, which takes its pictures; leave it out, or use --target=onnx"));
  }
  if (target.format != FormatKind::kOnnx) {
    return refuse(absl::StrCat("is for ONNX files; an artifact for ", target.name,
                               " has all methods: leave it out, or add --target=onnx"));
  }
  if (!request.outputs.empty()) return refuse("--outputs are those of forward; leave out one of the two");
  if (FindEntryPoint(whole.entry_points, request.method) != nullptr) return absl::OkStatus();
  if (FindEntryPoint(model.entry_points, request.method) != nullptr) {
    return refuse("its preparation of images has no such method; leave out --with_preprocess");
  }
  std::vector<std::string> names;
  for (const EntryPoint& entry_point : whole.entry_points) names.push_back(entry_point.method);
  return refuse(
      absl::StrCat(request.entry.variant->name, " has no such entry point", NearestHint(request.method, names)));
}

}  // namespace

absl::StatusOr<int> FindKnob(const std::vector<Knob>& knobs, const std::string& name, double value) {
  const std::string flag = absl::StrCat("--knob=", Brief(name), "=", value);
  std::vector<std::string> names;
  for (const Knob& knob : knobs) {
    if (knob.name != name) {
      names.push_back(knob.name);
      continue;
    }
    // A double holds each integer up to this. Bounds of a foreign manifest may be any numbers.
    constexpr double kMostInteger = 1e15;
    const bool is_integer = value == std::floor(value) && std::abs(value) <= kMostInteger;
    if (value >= knob.min && value <= knob.max && (is_integer || !knob.is_integer))
      return static_cast<int>(names.size());
    return absl::InvalidArgumentError(absl::StrCat(flag, ": wants ", knob.is_integer ? "an integer" : "a number",
                                                   " from ", knob.min, " to ", knob.max));
  }
  if (names.empty()) return absl::InvalidArgumentError(absl::StrCat(flag, ": it has no knobs"));
  return absl::InvalidArgumentError(absl::StrCat(flag, ": no such knob", NearestHint(name, names)));
}

absl::StatusOr<TargetTree> BuildTargetTree(const ArtifactRequest& request) {
  const Plugin& plugin = *request.entry.plugin;
  const Variant& variant = *request.entry.variant;
  RETURN_IF_ERROR(ChooseWrapper(request, variant).status());
  ASSIGN_OR_RETURN(ModuleTree built, BuildModuleTree(plugin.library, variant.module));
  const auto model = std::make_shared<const ModuleTree>(std::move(built));
  ASSIGN_OR_RETURN(KeptOutputs kept, Keep(model, variant, request.outputs));
  // A wrapper may be for variants with an output that is left out.
  Variant reduced = variant;
  reduced.module = kept.call;
  const absl::StatusOr<ChosenWrapper> chosen = ChooseWrapper(request, reduced);
  if (!chosen.ok()) return Annotate(chosen.status(), OutputsFlag(request.outputs));
  if (chosen->wrapper == nullptr && !request.knobs.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--knob: ", variant.name, " for ", request.target->name,
                                                   " has no wrapper, which knobs are of; add ", WrappingTargetFlags()));
  }
  if (chosen->wrapper == nullptr) {
    RETURN_IF_ERROR(CheckMethod(request, *kept.tree, *kept.tree));
    return TargetTree{model, kept, kept.tree};
  }
  ASSIGN_OR_RETURN(ModuleTree whole, BuildWithin(*chosen->wrapper, plugin, reduced, *kept.tree));
  RETURN_IF_ERROR(CheckMethod(request, *kept.tree, whole));
  RETURN_IF_ERROR(SetKnobs(request.knobs, whole));
  ASSIGN_OR_RETURN(std::string wrapper, DescribeWrapper(*chosen->wrapper, plugin, reduced, *kept.tree, whole));
  return TargetTree{model, std::move(kept), std::make_shared<const ModuleTree>(std::move(whole)), std::move(wrapper),
                    chosen->name};
}

}  // namespace modelport
