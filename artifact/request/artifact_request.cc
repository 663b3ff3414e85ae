#include "artifact/request/artifact_request.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/manifest/manifest_facts.h"
#include "common/module_tree/module_library.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "registry/find_wrapper.h"

namespace modelport {
namespace {

absl::StatusOr<ChosenWrapper> ChooseWrapper(const ArtifactRequest& request) {
  return FindWrapper(*request.entry.plugin, *request.entry.variant, *request.target, request.with_preprocess,
                     request.wrapper);
}

std::string WeightsText(const WeightSource& weights) {
  if (const auto* const seeded = std::get_if<Seeded>(&weights)) return SeededName(*seeded);
  const auto* const files = std::get_if<CheckpointFiles>(&weights);
  if (files == nullptr) return "";
  std::vector<std::string> choices;
  for (const CheckpointFile& file : *files) {
    const SourceChoice& choice = file.choice;
    choices.push_back(
        absl::StrCat(choice.layout, choice.state_dict ? absl::StrCat(" state_dict=", *choice.state_dict) : ""));
  }
  return absl::StrJoin(choices, "\n");
}

// The parts of "a=1,b=[2, 3]" between commas that are in no bracket or quotes.
std::vector<std::string> SplitSettings(absl::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && c == '[') ++depth;
    if (!is_quoted && c == ']') --depth;
    if (c == ',' && depth == 0 && !is_quoted) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

// `text` as a value for the argument whose value is `now`.
absl::StatusOr<Value> ReadValue(absl::string_view text, const Value& now) {
  ASSIGN_OR_RETURN(const Expression expression, Expression::Parse(text));
  ASSIGN_OR_RETURN(Value value, expression.Evaluate(Scope()));
  const auto* const integer = std::get_if<int64_t>(&value);
  if (integer != nullptr && std::holds_alternative<double>(now)) value = static_cast<double>(*integer);
  if (value.index() == now.index()) return value;
  return absl::InvalidArgumentError(absl::StrCat("wants a value as ", ValueString(now), ", has ", ValueString(value)));
}

std::string CallText(const Call& call) {
  std::vector<std::string> arguments;
  for (const Expression& argument : call.positional) arguments.push_back(argument.text());
  for (const auto& [name, argument] : call.named) arguments.push_back(absl::StrCat(name, "=", argument.text()));
  return absl::StrCat(call.type, "(", absl::StrJoin(arguments, ", "), ")");
}

// Gives the argument at `index` of the signature the value `value`.
void SetArgument(const Signature& signature, size_t index, Expression value, Call& call) {
  const std::string& name = signature.arguments[index].name;
  if (index < call.positional.size()) {
    call.positional[index] = std::move(value);
    return;
  }
  for (auto& [named, argument] : call.named) {
    if (named != name) continue;
    argument = std::move(value);
    return;
  }
  call.named.emplace_back(name, std::move(value));
}

absl::Status Set(absl::string_view setting, const Signature& signature, const Scope& now, Variant& variant,
                 std::map<std::string, std::string>& arguments) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(setting, absl::MaxSplits('=', 1));
  const std::string name(absl::StripAsciiWhitespace(parts.first));
  const std::vector<std::string> names = signature.argument_names();
  const size_t index = std::find(names.begin(), names.end(), name) - names.begin();
  const auto value = now.find(name);
  if (index == names.size() || value == now.end()) {
    return absl::InvalidArgumentError(absl::StrCat(variant.name, " has no argument \"", Brief(name), "\"",
                                                   NearestHint(name, names), "; it has ", absl::StrJoin(names, ", ")));
  }
  if (!absl::StrContains(setting, '=')) {
    return absl::InvalidArgumentError(absl::StrCat("wants ", name, "=VALUE; now it is ", ValueString(value->second)));
  }
  ASSIGN_OR_RETURN(const Value read, ReadValue(parts.second, value->second));
  const std::string text = ValueString(read);
  ASSIGN_OR_RETURN(Expression expression, Expression::Parse(text));
  SetArgument(signature, index, std::move(expression), variant.module);
  arguments[name] = text;
  return absl::OkStatus();
}

}  // namespace

absl::Status SetArguments(absl::string_view settings, ArtifactRequest& request) {
  auto variant = std::make_shared<Variant>(*request.entry.variant);
  const ModuleType* const type = request.entry.plugin->library->Find(variant->module.type);
  if (type == nullptr) return absl::InternalError(absl::StrCat("no module type ", variant->module.type));
  ASSIGN_OR_RETURN(const Scope now, BindArguments(type->signature, variant->module, Scope()));
  for (const std::string& setting : SplitSettings(settings)) {
    const absl::Status status = Set(setting, type->signature, now, *variant, request.arguments);
    if (!status.ok()) return Annotate(status, absl::StrCat("--set=", Brief(setting)));
  }
  variant->module.text = CallText(variant->module);
  request.changed = std::move(variant);
  request.entry.variant = request.changed.get();
  return absl::OkStatus();
}

std::string RequestText(const ArtifactRequest& request) {
  return absl::StrCat(
      "model=", request.entry.variant->name, "\ntarget=", request.target->name, "\nwrapper=", request.wrapper,
      "\nruntime=", request.runtime == nullptr ? "" : request.runtime->name, "\ndtype=", DTypeName(request.dtype),
      "\noutputs=", absl::StrJoin(request.outputs, ","), "\nwith_preprocess=", request.with_preprocess,
      "\nset=", absl::StrJoin(request.arguments, ",", absl::PairFormatter("=")),
      "\nweights=", WeightsText(request.weights), "\n");
}

absl::StatusOr<std::string> NameOfArtifact(const ArtifactRequest& request) {
  ASSIGN_OR_RETURN(const ChosenWrapper chosen, ChooseWrapper(request));
  return ArtifactName(request.entry.variant->name, chosen.name);
}

absl::StatusOr<ArtifactRequest> StatedRequest(const Registry& registry, const Manifest& stated) {
  ArtifactRequest request;
  ASSIGN_OR_RETURN(request.entry, registry.Find(stated.model()));
  ASSIGN_OR_RETURN(request.target, FindTarget(stated.target()));
  if (!stated.runtime().empty()) {
    ASSIGN_OR_RETURN(request.runtime, FindRuntime(stated.runtime()));
  }
  const absl::optional<DType> dtype = ParseDType(stated.dtype());
  if (!dtype) return absl::DataLossError(absl::StrCat("unknown dtype ", Brief(stated.dtype())));
  request.dtype = *dtype;
  request.with_preprocess = !stated.preprocessing().module().empty() && !request.target->wraps;
  request.wrapper = stated.wrapper();
  request.outputs = {stated.outputs().kept().begin(), stated.outputs().kept().end()};
  if (const absl::optional<Seeded> seeded = ParseSeededName(stated.source())) request.weights = *seeded;
  for (const Manifest::Argument& argument : stated.arguments()) {
    RETURN_IF_ERROR(Annotate(SetArguments(absl::StrCat(argument.name(), "=", argument.value()), request), "arguments"));
  }
  RETURN_IF_ERROR(ChooseWrapper(request).status());
  return request;
}

}  // namespace modelport
